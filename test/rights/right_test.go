package rights

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"

	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

func TestARuleIsSplitIntoEachOfItsRights(t *testing.T) {
	got, err := split("role", "ns", []rbacv1.PolicyRule{
		{APIGroups: []string{"g"}, Resources: []string{"a", "b/c"}, Verbs: []string{"get", "list"}},
		{APIGroups: []string{""}, Resources: []string{"d"}, ResourceNames: []string{"x", "y"}, Verbs: []string{"get"}},
	})
	namespace.Must(t, err)
	want := []Right{
		{"role", "ns", "g", "a", "", "get"}, {"role", "ns", "g", "a", "", "list"},
		{"role", "ns", "g", "b/c", "", "get"}, {"role", "ns", "g", "b/c", "", "list"},
		{"role", "ns", "", "d", "x", "get"}, {"role", "ns", "", "d", "y", "get"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rights (-want +got):\n%s", diff)
	}
	again, err := split("role", "ns", join(got))
	namespace.Must(t, err)
	if diff := cmp.Diff(got, again); diff != "" {
		t.Errorf("rights after they are joined (-before +after):\n%s", diff)
	}
}

func TestARuleThatCannotBeTakenAwayInTurnIsRefused(t *testing.T) {
	for name, rule := range map[string]rbacv1.PolicyRule{
		"all groups":    {APIGroups: []string{"*"}, Resources: []string{"a"}, Verbs: []string{"get"}},
		"all resources": {APIGroups: []string{""}, Resources: []string{"*"}, Verbs: []string{"get"}},
		"all verbs":     {APIGroups: []string{""}, Resources: []string{"a"}, Verbs: []string{"*"}},
		"a URL":         {NonResourceURLs: []string{"/metrics"}, Verbs: []string{"get"}},
	} {
		if got, err := split("role", "", []rbacv1.PolicyRule{rule}); err == nil {
			t.Errorf("%s: split = %v", name, got)
		}
	}
}

func TestTheRightsOfAnAccountAreThoseOfItsOwnBindings(t *testing.T) {
	got := Of(t, "../../knative/examples/auth", "gateway-cert-source")
	const source, auth = "gateway-cert-source", "gateway-cert-source-auth"
	want := []Right{
		{source, "", "cert-manager.io", "certificates", "", "get"},
		{source, "", "cert-manager.io", "certificates", "", "list"},
		{source, "", "cert-manager.io", "certificates", "", "watch"},
		{source, "", "gateway.networking.k8s.io", "gateways", "", "list"},
		{source, "", "gateway.networking.k8s.io", "gateways", "", "watch"},
		{auth, "gateway-cert", "", "serviceaccounts/token", source, "create"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rights (-want +got):\n%s", diff)
	}
}
