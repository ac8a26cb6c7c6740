package plan_test

import (
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

func TestOnlyASelectorTakesANamespacesLabels(t *testing.T) {
	for _, tc := range []struct {
		annotation, byDefault string
		ownOnly, byLabels     bool
	}{
		{"", "", true, false},
		{"Same", "All", true, false},
		{"All", "", false, false},
		{"", "All", false, false},
		{"Selector: tenant=yes", "", false, true},
		{"", "Selector: tenant=yes", false, true},
		{"Selector: ", "All", true, false}, // cannot be read, and its strictest reading holds
	} {
		gateway := baseGateway()
		gateway.Annotations = with(nil, plan.CertificateNamespacesKey, tc.annotation)
		got := plan.ConsentOf(gateway, plan.Defaults{CertificateNamespaces: tc.byDefault})
		if got.OwnOnly != tc.ownOnly || got.ByLabels != tc.byLabels {
			t.Errorf("%q, by default %q: own only %v, by labels %v; want %v and %v", tc.annotation, tc.byDefault, got.OwnOnly, got.ByLabels, tc.ownOnly, tc.byLabels)
		}
	}
}
