package cluster

import (
	"context"
	"fmt"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ReviewToken asks the API server whose a token is and whether it was issued for
// the audience, and returns what it says. An error means that it has said
// nothing: it is away, or we lack the right to ask. It never holds the token.
func (c *Cluster) ReviewToken(ctx context.Context, token, audience string) (authenticationv1.TokenReviewStatus, error) {
	question := &authenticationv1.TokenReview{
		Spec: authenticationv1.TokenReviewSpec{Token: token, Audiences: []string{audience}},
	}
	reviewed, err := answer[authenticationv1.TokenReview](ctx, c.tokens.create(question, metav1.CreateOptions{}))
	if err != nil {
		return authenticationv1.TokenReviewStatus{}, fmt.Errorf("review a token for audience %q: %w", audience, err)
	}
	return reviewed.Status, nil
}
