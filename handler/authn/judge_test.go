package authn

import (
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
)

// What the API server of the other tests never says.
func TestAnAnswerNamesSomebodyOnlyIfItSaysYesForTheAudience(t *testing.T) {
	const token, audience = "secret", "ours"
	for name, tc := range map[string]struct {
		mutate func(*authenticationv1.TokenReviewStatus)
		want   Identity
	}{
		"yes": {func(*authenticationv1.TokenReviewStatus) {}, Identity{Username: "somebody"}},
		"no": {func(s *authenticationv1.TokenReviewStatus) { s.Authenticated, s.Error = false, "expired" },
			Identity{Refusal: "expired"}},
		"no, without a word": {func(s *authenticationv1.TokenReviewStatus) { s.Authenticated = false },
			Identity{Refusal: "the API server does not know it"}},
		"no, with the token in its words": {func(s *authenticationv1.TokenReviewStatus) { s.Authenticated, s.Error = false, "bad secret" },
			Identity{Refusal: "the API server does not know it"}},
		"another audience": {func(s *authenticationv1.TokenReviewStatus) { s.Audiences = []string{"theirs"} },
			Identity{Refusal: `the API server vouches for audiences ["theirs"] only`}},
		"no audience": {func(s *authenticationv1.TokenReviewStatus) { s.Audiences = nil },
			Identity{Refusal: `the API server vouches for audiences [] only`}},
		"nobody": {func(s *authenticationv1.TokenReviewStatus) { s.User.Username = "" },
			Identity{Refusal: "the API server names no user"}},
	} {
		t.Run(name, func(t *testing.T) {
			status := authenticationv1.TokenReviewStatus{
				Authenticated: true, Audiences: []string{audience}, User: authenticationv1.UserInfo{Username: "somebody"},
			}
			tc.mutate(&status)
			if got := judge(status, token, audience); got != tc.want {
				t.Errorf("judge = %+v, want %+v", got, tc.want)
			}
		})
	}
}
