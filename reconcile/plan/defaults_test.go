package plan_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

func TestADefaultHoldsUntilTheGatewaysOwnerSaysOtherwise(t *testing.T) {
	ports := func(p plan.Plan) string {
		if len(p.Listeners) < 2 {
			return "none"
		}
		return map[int]string{443: "443", 8443: "8443", 9443: "9443"}[int(p.Listeners[1].Port)]
	}
	routes := func(p plan.Plan) string { return string(*p.Listeners[1].AllowedRoutes.Namespaces.From) }
	for _, tc := range []struct {
		name                 string
		defaults             plan.Defaults
		key, says            string
		look                 func(plan.Plan) string
		zero, byDefault, own string
	}{
		{"certificateNamespaces", plan.Defaults{CertificateNamespaces: "All"}, plan.CertificateNamespacesKey, "Selector: tier=gold", attached,
			"late.com ready.com", "b.com late.com ready.com", ""},
		{"certificateNamespaces, a Selector", plan.Defaults{CertificateNamespaces: "Selector: tier=silver"}, plan.CertificateNamespacesKey, "Same", attached,
			"late.com ready.com", "b.com", "late.com ready.com"},
		{"allowedHostnames", plan.Defaults{AllowedHostnames: "late.com"}, plan.AllowedHostnamesKey, "ready.com", attached,
			"late.com ready.com", "late.com", "ready.com"},
		{"allowedRoutes", plan.Defaults{AllowedRoutes: "Same"}, plan.AllowedRoutesKey, "CertificateNamespace", routes,
			"All", "Same", "Selector"},
		{"listenerPort", plan.Defaults{ListenerPort: "8443"}, plan.ListenerPortKey, "9443", ports,
			"443", "8443", "9443"},
		{"maxListeners", plan.Defaults{MaxListeners: "1"}, plan.MaxListenersKey, "2", attached,
			"late.com ready.com", "ready.com", "late.com ready.com"},
		{"attach", plan.Defaults{Attach: "WhenReady"}, plan.AttachKey, "Always", attached,
			"late.com ready.com", "ready.com", "late.com ready.com"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := askers()
			if got := tc.look(plan.For(*in)); got != tc.zero {
				t.Errorf("with no default: %q, want %q", got, tc.zero)
			}
			in.Defaults = tc.defaults
			if got := tc.look(plan.For(*in)); got != tc.byDefault {
				t.Errorf("with the default: %q, want %q", got, tc.byDefault)
			}
			annotate(in.Gateway, tc.key, tc.says)
			if got := tc.look(plan.For(*in)); got != tc.own {
				t.Errorf("with the Gateway's annotation: %q, want %q", got, tc.own)
			}
		})
	}
}

// An owner who wrote an empty annotation did not mean the cluster's default.
func TestAnEmptyAnnotationDoesNotBringTheDefaultBack(t *testing.T) {
	in := askers()
	in.Defaults.CertificateNamespaces = "All"
	annotate(in.Gateway, plan.CertificateNamespacesKey, "")
	if got := attached(plan.For(*in)); got != "late.com ready.com" {
		t.Errorf("attached: %q, want late.com ready.com", got)
	}
}

func TestTheCertificatesRoutesComeBeforeTheDefault(t *testing.T) {
	in := baseInput()
	in.Defaults.AllowedRoutes = "All"
	annotate(app(in), plan.AllowedRoutesKey, "Same")
	if got := *plan.For(*in).Listeners[1].AllowedRoutes.Namespaces.From; got != "Same" {
		t.Errorf("routes from %s, want Same", got)
	}
}

func TestTheCertificatesPortComesBeforeTheDefault(t *testing.T) {
	in := baseInput()
	in.Defaults.ListenerPort = "9443"
	annotate(app(in), plan.ListenerPortKey, "8443")
	if got := plan.For(*in).Listeners[1].Port; got != 8443 {
		t.Errorf("port = %d, want 8443", got)
	}
}

// A fault in a default that nobody validated is read as one in the annotation.
func TestADefaultThatCannotBeReadIsNoWiderThanNone(t *testing.T) {
	for _, d := range []plan.Defaults{
		{CertificateNamespaces: "all"}, {AllowedHostnames: "*"}, {ListenerPort: "https"}, {MaxListeners: "many"}, {Attach: "always"},
	} {
		in := askers()
		allowed := attached(plan.For(*in))
		in.Defaults = d
		if got := attached(plan.For(*in)); !within(got, allowed) {
			t.Errorf("defaults %+v: attached %q, without them no more than %q is", d, got, allowed)
		}
	}
}

func TestValidateNamesEachFaultInTheDefaults(t *testing.T) {
	for _, tc := range []struct {
		name     string
		defaults plan.Defaults
		want     []string // words of the error; none for no error
	}{
		{"the zero value", plan.Defaults{}, nil},
		{"all set", plan.Defaults{
			CertificateNamespaces: "Selector: a in (b)", AllowedHostnames: "a.com, *.b.com", AllowedRoutes: "CertificateNamespace",
			ListenerPort: "8443", MaxListeners: "0", Attach: "WhenReady",
		}, nil},
		{"the contract's own", plan.Defaults{
			CertificateNamespaces: "Same", AllowedRoutes: "All", ListenerPort: "443", MaxListeners: "64", Attach: "Always",
		}, nil},
		{"certificateNamespaces", plan.Defaults{CertificateNamespaces: "all"}, []string{"here.certificateNamespaces", `"all"`}},
		{"certificateNamespaces, an empty Selector", plan.Defaults{CertificateNamespaces: "Selector:"}, []string{"here.certificateNamespaces"}},
		{"allowedHostnames", plan.Defaults{AllowedHostnames: "a.com,*"}, []string{"here.allowedHostnames", `"a.com,*"`}},
		{"allowedRoutes", plan.Defaults{AllowedRoutes: "all"}, []string{"here.allowedRoutes", `"all"`}},
		{"listenerPort", plan.Defaults{ListenerPort: "0"}, []string{"here.listenerPort", `"0"`, "65535"}},
		{"maxListeners", plan.Defaults{MaxListeners: "-1"}, []string{"here.maxListeners", `"-1"`}},
		{"attach", plan.Defaults{Attach: "ready"}, []string{"here.attach", `"ready"`, "WhenReady"}},
		{"several", plan.Defaults{Attach: "x", ListenerPort: "y"}, []string{"here.attach", "here.listenerPort"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			faults := tc.defaults.Validate(field.NewPath("here"))
			if (len(faults) > 0) != (tc.want != nil) {
				t.Fatalf("Validate = %v, want faults: %v", faults, tc.want != nil)
			}
			for _, word := range tc.want {
				if !strings.Contains(faults.ToAggregate().Error(), word) {
					t.Errorf("Validate = %v, want it to name %s", faults, word)
				}
			}
		})
	}
}
