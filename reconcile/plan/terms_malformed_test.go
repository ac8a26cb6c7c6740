package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// malformations are, for each annotation of a Gateway, values that cannot be
// read, and what then is attached of [askers]: to a Gateway that had nothing,
// and to one where all that may stands already.
var malformations = []struct {
	key             string
	why             plan.Reason
	values          []string
	fresh, standing string
}{
	{
		plan.CertificateNamespacesKey, plan.ReasonMalformedAnnotation,
		[]string{"", "all", "All ", " All", "Everybody", "Selector", "Selector:", "Selector: ", "selector: a=b", "Selector: a in (", "Selector: ,", "All,Same"},
		"late.com ready.com", "late.com ready.com",
	},
	{
		plan.AllowedHostnamesKey, plan.ReasonMalformedAnnotation,
		[]string{"", " ", ",", "*", "a_b.com", "10.0.0.1", "https://ready.com", "*ready.com", "ready.*", "ready.com late.com"},
		"", "",
	},
	{
		plan.AllowedRoutesKey, plan.ReasonMalformedAnnotation,
		[]string{"", "all", "None", "Selector:", "Selector: a>1", "Selector: a in (", "certificateNamespace"},
		"late.com ready.com", "late.com ready.com",
	},
	{
		plan.ListenerPortKey, plan.ReasonInvalidPort,
		[]string{"0", "65536", "70000", "-1", "https", "443 ", "4 43", "0x1bb", "443.0", "18446744073709551617"},
		"", "late.com ready.com",
	},
	{
		plan.MaxListenersKey, plan.ReasonMalformedAnnotation,
		[]string{"", "-1", "many", "1.5", "1 ", "0x1", "9999999999999999999999"},
		"", "late.com ready.com",
	},
	{
		plan.PublishKey, plan.ReasonPublishNotSupported,
		[]string{"", "gateway", "ListenerSet", "Gateway "},
		"", "late.com ready.com",
	},
	{
		plan.AttachKey, plan.ReasonMalformedAnnotation,
		[]string{"", "always", "WhenReady ", "Never"},
		"ready.com", "late.com ready.com",
	},
	{
		plan.ModeKey, plan.ReasonMalformedAnnotation,
		[]string{"", "apply", "dryRun", "DryRun ", "true"},
		"late.com ready.com", "late.com ready.com",
	},
	{
		plan.PausedKey, plan.ReasonMalformedAnnotation,
		[]string{"", "True", "FALSE", "yes", "1", "0"},
		"", "late.com ready.com",
	},
}

// askers are two Certificates beside the Gateway, of which one is not Ready, and
// a tenant's.
func askers() *plan.Input {
	in := threeNamespaces()
	in.Certificates[0].Spec.DNSNames = []string{"ready.com"}
	in.Certificates[0].Status = readiness(cmmeta.ConditionTrue, 1)
	in.Certificates[1] = certificate("infra", "late", "late.com")
	return in
}

func eachMalformation(t *testing.T, test func(t *testing.T, key, value string, why plan.Reason, fresh, standing string)) {
	t.Helper()
	for _, m := range malformations {
		for _, value := range m.values {
			t.Run(fmt.Sprintf("%s %q", strings.TrimPrefix(m.key, plan.KeyPrefix), value), func(t *testing.T) {
				test(t, m.key, value, m.why, m.fresh, m.standing)
			})
		}
	}
}

func TestAGatewaysAnnotationThatCannotBeReadIsReported(t *testing.T) {
	eachMalformation(t, func(t *testing.T, key, value string, why plan.Reason, _, _ string) {
		in := askers()
		annotate(in.Gateway, key, value)
		if !slices.ContainsFunc(plan.For(*in).Rejections, func(f plan.Finding) bool {
			return f.Reason == why && strings.Contains(f.Message, key) && strings.Contains(f.Message, fmt.Sprintf("%.64q", value))
		}) {
			t.Errorf("rejections = %+v, want one for %s that names the annotation and its value", plan.For(*in).Rejections, why)
		}
	})
}

func TestAGatewaysAnnotationThatCannotBeReadHasItsStrictestReading(t *testing.T) {
	eachMalformation(t, func(t *testing.T, key, value string, _ plan.Reason, fresh, _ string) {
		in := askers()
		annotate(in.Gateway, key, value)
		p := plan.For(*in)
		if got := attached(p); got != fresh {
			t.Errorf("attached: %q, want %q", got, fresh)
		}
		if allowed := attached(plan.For(*askers())); !within(attached(p), allowed) {
			t.Errorf("attached: %q; with the annotation absent no more than %q is", attached(p), allowed)
		}
	})
}

func TestAGatewaysAnnotationThatCannotBeReadTakesOffNoMoreThanItsReading(t *testing.T) {
	eachMalformation(t, func(t *testing.T, key, value string, _ plan.Reason, _, standing string) {
		in := settled(*askers())
		annotate(in.Gateway, key, value)
		p := plan.For(in)
		if key == plan.PausedKey {
			if !p.Paused || !p.Unchanged() {
				t.Errorf("paused: %v, changes: %v; want it paused and unchanged", p.Paused, p.Changes)
			}
			return
		}
		if key == plan.ModeKey && !p.DryRun {
			t.Error("it is no dry run")
		}
		if got := attached(p); got != standing {
			t.Errorf("attached: %q, want %q", got, standing)
		}
	})
}

func TestAGatewaysRoutesThatCannotBeReadNarrowEveryListener(t *testing.T) {
	in := settled(*askers())
	annotate(in.Gateway, plan.AllowedRoutesKey, "all")
	for _, l := range plan.For(in).Listeners[1:] {
		if from := *l.AllowedRoutes.Namespaces.From; from != gatewayv1.NamespacesFromSelector {
			t.Errorf("listener %s takes routes from %s, want only its Certificate's namespace's", l.Name, from)
		}
	}
}

// What can be read of a list holds; the rest is as if it were not there.
func TestOfAllowedHostnamesTheOnesThatCanBeReadHold(t *testing.T) {
	for says, want := range map[string]string{
		"ready.com,": "ready.com", ",ready.com": "ready.com", "a_b.com, ready.com": "ready.com", "*, ready.com": "ready.com",
	} {
		t.Run(says, func(t *testing.T) {
			in := askers()
			annotate(in.Gateway, plan.AllowedHostnamesKey, says)
			if got := attached(plan.For(*in)); got != want {
				t.Errorf("attached: %q, want %q", got, want)
			}
		})
	}
}

func TestAnEmptyListenerPortIsNone(t *testing.T) {
	in := baseInput()
	annotate(in.Gateway, plan.ListenerPortKey, "")
	annotate(app(in), plan.ListenerPortKey, "")
	p := plan.For(*in)
	if got := p.Listeners[1].Port; got != 443 || len(p.Rejections) != 0 {
		t.Errorf("port = %d, rejections = %v; want 443 and none", got, p.Rejections)
	}
}

// within reports whether each word of the one text is in the other.
func within(text, allowed string) bool {
	for word := range strings.FieldsSeq(text) {
		if !slices.Contains(strings.Fields(allowed), word) {
			return false
		}
	}
	return true
}
