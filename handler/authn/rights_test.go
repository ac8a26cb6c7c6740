package authn_test

import (
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"

	"gateway-cert-operator.io/gateway-cert-handler/handler/authn"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
	"gateway-cert-operator.io/gateway-cert-handler/test/rights"
)

// added are the rights that the example of authentication gives the handler beside
// those of the base.
func added(t *testing.T) []rights.Right {
	t.Helper()
	const examples, account = "../../knative/examples/", "gateway-cert-handler"
	found := rights.Without(rights.Of(t, examples+"auth", account), rights.Of(t, examples+"overlay", account)...)
	if len(found) == 0 {
		t.Fatal("the example adds no right")
	}
	return found
}

// askWith asks whose a source's token is, with these rights and no others.
func askWith(t *testing.T, granted []rights.Right) (got authn.Identity, want string, err error) {
	t.Helper()
	handler := rights.User{Config: plane.Config(), Name: namespace.New(t, plane.Config()).Name}
	handler.Grant(t, granted)
	d := newDesk(t, func(config *rest.Config) { config.Impersonate.UserName = handler.Name })
	source := d.account("source")
	got, err = d.Authenticate(t.Context(), source.Token(time.Hour, audience))
	return got, source.Username, err
}

func TestTheRightsOfTheExampleAreEnoughToAsk(t *testing.T) {
	if got, want, err := askWith(t, added(t)); err != nil || got.Username != want {
		t.Errorf("Authenticate = %+v, %v; want %s", got, err, want)
	}
}

func TestWithoutARightOfTheExampleNothingCanBeTold(t *testing.T) {
	all := added(t)
	for _, taken := range all {
		t.Run(taken.String(), func(t *testing.T) {
			got, _, err := askWith(t, rights.Without(all, taken))
			if got != (authn.Identity{}) || !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), taken.Refusal()) {
				t.Errorf("Authenticate = %+v, %v; want nobody and Forbidden: %s", got, err, taken.Refusal())
			}
		})
	}
}
