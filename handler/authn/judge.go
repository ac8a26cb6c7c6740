package authn

import (
	"fmt"
	"slices"
	"strings"

	authenticationv1 "k8s.io/api/authentication/v1"
)

// judge reads an answer. The API server tells a token that it does not know from
// one that it could not check, such as with a webhook that is away, in words
// only, so both count as not valid.
func judge(status authenticationv1.TokenReviewStatus, token, audience string) Identity {
	switch {
	case !status.Authenticated:
		return Identity{Refusal: refusal(status.Error, token)}
	case !slices.Contains(status.Audiences, audience):
		// A server that does not know audiences ignores the one in the question.
		return Identity{Refusal: fmt.Sprintf("the API server vouches for audiences %q only", status.Audiences)}
	case status.User.Username == "":
		return Identity{Refusal: "the API server names no user"}
	}
	return Identity{Username: status.User.Username}
}

// refusal goes into logs, so words that repeat the token are kept back.
func refusal(words, token string) string {
	if words == "" || strings.Contains(words, token) {
		return "the API server does not know it"
	}
	return words
}
