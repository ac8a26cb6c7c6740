package plan_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

func TestTarget(t *testing.T) {
	long := strings.Repeat("g", 53) + "." + strings.Repeat("h", 40)
	for _, tc := range []struct {
		name                string
		labels, annotations map[string]string
		want                string
	}{
		{"no label", nil, nil, ""},
		{"an empty label", map[string]string{plan.GatewayNameKey: ""}, nil, ""},
		{"its own namespace", map[string]string{plan.GatewayNameKey: "edge"}, nil, "own/edge"},
		{"an empty namespace", map[string]string{plan.GatewayNameKey: "edge", plan.GatewayNamespaceKey: ""}, nil, "own/edge"},
		{"another namespace", map[string]string{plan.GatewayNameKey: "edge", plan.GatewayNamespaceKey: "infra"}, nil, "infra/edge"},
		{"what no Gateway can be called", map[string]string{plan.GatewayNameKey: ".."}, nil, ""},
		{"what looks like a name", map[string]string{plan.GatewayNameKey: "Edge_1"}, nil, ""},
		{"a namespace with a dot", map[string]string{plan.GatewayNameKey: "edge", plan.GatewayNamespaceKey: "in.fra"}, nil, ""},
		{"an annotation that no Gateway can be called", map[string]string{plan.GatewayNameKey: plan.GatewayNameLabel(long + "/")},
			map[string]string{plan.GatewayNameKey: long + "/"}, ""},
		{"what no namespace can be called", map[string]string{plan.GatewayNameKey: "edge", plan.GatewayNamespaceKey: "a/b"}, nil, ""},
		{"a long name", map[string]string{plan.GatewayNameKey: plan.GatewayNameLabel(long)},
			map[string]string{plan.GatewayNameKey: long}, "own/" + long},
		{"an annotation that is not the label's", map[string]string{plan.GatewayNameKey: "edge"},
			map[string]string{plan.GatewayNameKey: long}, "own/edge"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, ok := plan.Target(&metav1.ObjectMeta{Namespace: "own", Labels: tc.labels, Annotations: tc.annotations})
			if ok != (tc.want != "") || ok && got.String() != tc.want {
				t.Errorf("Target = %s, %v; want %q", got, ok, tc.want)
			}
		})
	}
}

func FuzzGatewayNameLabel(f *testing.F) {
	f.Add("edge", "edge2")
	f.Add(strings.Repeat("a", 53)+"."+strings.Repeat("b", 100), strings.Repeat("a", 53)+"."+strings.Repeat("b", 101))
	f.Fuzz(func(t *testing.T, one, two string) {
		for _, name := range []string{one, two} {
			if len(validation.IsDNS1123Subdomain(name)) > 0 {
				t.Skip("not a name that the API server would let a Gateway have")
			}
			if errs := validation.IsValidLabelValue(plan.GatewayNameLabel(name)); len(errs) > 0 {
				t.Errorf("GatewayNameLabel(%q) = %q: %v", name, plan.GatewayNameLabel(name), errs)
			}
		}
		if one != two && plan.GatewayNameLabel(one) == plan.GatewayNameLabel(two) {
			t.Errorf("%q and %q have one label", one, two)
		}
	})
}
