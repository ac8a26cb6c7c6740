package admission

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// long is a Gateway's name that no label can hold. Its first 54 characters end in
// what is cut off.
var long = strings.Repeat("g", 52) + "--" + strings.Repeat("h", 40)

func TestALabelThatNamesNoGatewayIsRefused(t *testing.T) {
	c := mustClient(t)
	for _, tc := range []struct{ key, text, want string }{
		{"gateway-name", "edge", ""},
		{"gateway-name", "", ""},
		{"gateway-name", "edge.v1", ""},
		{"gateway-name", plan.GatewayNameLabel(long), ""}, // a Gateway may be called so
		{"gateway-name", "Edge", "no Gateway can be called that"},
		{"gateway-name", "the_edge", "no Gateway can be called that"},
		{"gateway-name", "a..b", "no Gateway can be called that"},
		{"gateway-name", "a.-b", "no Gateway can be called that"},
		{"gateway-namespace", "infra", ""},
		{"gateway-namespace", "", ""},
		{"gateway-namespace", "Infra", "no Namespace can be called that"},
		{"gateway-namespace", "in_fra", "no Namespace can be called that"},
		{"gateway-namespace", "infra.prod", "no Namespace can be called that"},
	} {
		t.Run(tc.key+"="+tc.text, func(t *testing.T) {
			object := plain(certificate)
			object.GetLabels()[plan.KeyPrefix+tc.key] = tc.text
			want := tc.want
			if want != "" {
				want = `label ` + plan.KeyPrefix + tc.key + ` is "` + tc.text + `": ` + want
			}
			if said := refusal(t, c, object); said != want {
				t.Errorf("the policy says %q, want %q", said, want)
			}
			valid := tc.text == "" || len(validation.IsDNS1123Subdomain(tc.text)) == 0
			if tc.key == "gateway-namespace" {
				valid = tc.text == "" || len(validation.IsDNS1123Label(tc.text)) == 0
			}
			if valid != (tc.want == "") {
				t.Errorf("the API server lets an object be called so: %v", valid)
			}
		})
	}
}

func TestAFullNameThatIsNotTheLabelsIsRefused(t *testing.T) {
	c := mustClient(t)
	label := plan.GatewayNameLabel(long)
	for name, tc := range map[string]struct {
		label, full string
		refused     bool
	}{
		"the label's":                          {label, long, false},
		"none":                                 {label, "", false},
		"one of 63 characters":                 {"edge", strings.Repeat("g", 63), false},
		"the old operator's, which is short":   {"new-edge", "edge", false},
		"the old operator's alone":             {"", long, false},
		"another":                              {label, "x" + long, true},
		"beside a label without a digest":      {strings.Repeat("g", 52), long, true},
		"beside a label that is not cut back":  {strings.Repeat("g", 52) + "--12345678", long, true},
		"beside a label that is cut too far":   {strings.Repeat("g", 51) + "-12345678", long, true},
		"beside a label of another kind":       {"edge", long, true},
		"what no Gateway can be called":        {plan.GatewayNameLabel(strings.ToUpper(long)), strings.ToUpper(long), true},
		"longer than a name":                   {plan.GatewayNameLabel(long + strings.Repeat("x", 200)), long + strings.Repeat("x", 200), true},
		"with a dot where the label has a dot": {plan.GatewayNameLabel("a." + long), "a." + long, false},
		"with an x where the label has a dot":  {strings.Replace(plan.GatewayNameLabel("a."+long), "a.", "ax", 1), "a." + long, true},
	} {
		t.Run(name, func(t *testing.T) {
			object := annotated(certificate, "gateway-name", tc.full)
			object.GetLabels()[plan.GatewayNameKey] = tc.label
			said := refusal(t, c, object)
			if (said != "") != tc.refused {
				t.Errorf("the policy says %q, want it refused: %v", said, tc.refused)
			}
			target, _ := plan.Target(object)
			if believed := target.Name == tc.full; tc.refused && believed && len(validation.IsDNS1123Subdomain(tc.full)) == 0 {
				t.Errorf("the planner takes it for Gateway %s", target)
			}
		})
	}
}

// The policy cannot reckon a digest.
func TestAFullNameWithAnotherDigestIsLeftToThePlanner(t *testing.T) {
	c := mustClient(t)
	object := annotated(certificate, "gateway-name", long+"x")
	object.GetLabels()[plan.GatewayNameKey] = plan.GatewayNameLabel(long)
	if said := refusal(t, c, object); said != "" {
		t.Errorf("the policy sees it: %s", said)
	}
	if target, _ := plan.Target(object); target.Name == long+"x" {
		t.Errorf("the planner takes it for Gateway %s", target)
	}
}

// cert-manager copies a Gateway's labels, and could not mend them.
func TestACertificateThatWasMadeFromAListenerIsLeftAlone(t *testing.T) {
	c := mustClient(t)
	for name, tc := range map[string]struct {
		owner metav1.OwnerReference
		alone bool
	}{
		"by a Gateway":       {metav1.OwnerReference{APIVersion: "gateway.networking.k8s.io/v1", Kind: "Gateway", Controller: new(true)}, true},
		"by a ListenerSet":   {metav1.OwnerReference{APIVersion: "gateway.networking.k8s.io/v1", Kind: "ListenerSet", Controller: new(true)}, true},
		"by an XListenerSet": {metav1.OwnerReference{APIVersion: "gateway.networking.x-k8s.io/v1alpha1", Kind: "XListenerSet", Controller: new(true)}, true},
		"by an Ingress":      {metav1.OwnerReference{APIVersion: "networking.k8s.io/v1", Kind: "Ingress", Controller: new(true)}, false},
		"by a Gateway that does not control it": {
			metav1.OwnerReference{APIVersion: "gateway.networking.k8s.io/v1", Kind: "Gateway"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			object := annotated(certificate, "listener-port", "none")
			tc.owner.Name, tc.owner.UID = "owner", "1"
			object.SetOwnerReferences([]metav1.OwnerReference{tc.owner})
			if said := refusal(t, c, object); (said == "") != tc.alone {
				t.Errorf("the policy says %q, want it left alone: %v", said, tc.alone)
			}
		})
	}
}
