package plan_test

import (
	"slices"
	"strings"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/google/go-cmp/cmp"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// Whatever stands in the annotations of a Gateway: its user's listener stays,
// the plan settles, and what cannot be read allows no more than its absence.
func FuzzAnnotations(f *testing.F) {
	f.Add("Same", "a.com", "All", "443", "64", "Gateway", "Always", "false", "Apply", "")
	f.Add("Selector: tier in (gold)", "*.com, *.bücher.example", "Selector: a=b,!c", "8443", "1", "ListenerSet", "WhenReady", "true", "DryRun", "x,y")
	f.Add("Selector:", "*", "Selector: a>1", "0", "-1", "", "", "", "", " , ")
	f.Add("Selector: a in (", "a_b.com,,", "all", "99999999999999999999", "+1", "gateway", "Ready", "TRUE", "dry", "auto-i-ready-com,")
	f.Fuzz(func(t *testing.T, namespaces, hostnames, routes, port, most, publish, attach, paused, mode, ignored string) {
		says := map[string]string{
			plan.CertificateNamespacesKey: namespaces, plan.AllowedHostnamesKey: hostnames, plan.AllowedRoutesKey: routes,
			plan.ListenerPortKey: port, plan.MaxListenersKey: most, plan.PublishKey: publish, plan.AttachKey: attach, plan.PausedKey: paused, plan.ModeKey: mode,
			ignoreKey: ignored, issuerKey: "ca",
		}
		in := askers()
		for key, text := range says {
			annotate(in.Gateway, key, text)
		}
		p := plan.For(*in)
		if diff := cmp.Diff(in.Gateway.Spec.Listeners, p.Listeners[:1]); diff != "" {
			t.Errorf("the user's listener (-before +after):\n%s", diff)
		}
		if again := plan.For(settled(*in)); !again.Unchanged() {
			t.Errorf("applied, there is still something to do: %+v", again)
		}
		for key := range says {
			if !unreadable(p, key) {
				continue
			}
			without := *in
			without.Gateway = in.Gateway.DeepCopy()
			delete(without.Gateway.Annotations, key)
			if allowed := attached(plan.For(without)); !within(attached(p), allowed) {
				t.Errorf("%s cannot be read, and %q is attached; without it no more than %q is", key, attached(p), allowed)
			}
		}
		if unreadable(p, plan.AllowedRoutesKey) {
			for i := range p.Listeners[1:] {
				if l := &p.Listeners[1+i]; routesServed(l, p.Ledger[l.Name].Certificate.Namespace) != "own" {
					t.Errorf("routes cannot be read, and listener %s takes them from %v", l.Name, l.AllowedRoutes.Namespaces)
				}
			}
		}
	})
}

// unreadable reports whether the plan says so of a Gateway's annotation.
func unreadable(p plan.Plan, key string) bool {
	return slices.ContainsFunc(p.Rejections, func(r plan.Finding) bool {
		switch r.Reason {
		case plan.ReasonMalformedAnnotation, plan.ReasonInvalidPort, plan.ReasonPublishNotSupported:
			return strings.Contains(r.Message, key+" is ")
		}
		return false
	})
}

// Whatever somebody writes in the ledger: users' listeners stay as they are and
// theirs, ours stay ours, and the plan settles.
func FuzzHandEditedLedger(f *testing.F) {
	f.Add("")
	f.Add(`{"http":"infra/app","mine":"infra/app","auto-mine":"infra/app"}`)
	f.Add(`{"auto-app-app-example-com":"infra/b","auto-b-b-com":"infra/app"}`)
	f.Add(`{"auto-app-app-example-com":"infra/app refused:0123456789abcdef","auto-b-b-com":"infra/b kept:0 hostname:app.example.com"}`)
	f.Add(`{"auto-app-app-example-com":"team-a/app hostname:b.com"}`)
	f.Add(`{"auto-b-b-com":"infra/b"`)
	f.Add(`{"auto-a-a-b-com":"infra/a"}`)
	f.Add(`{"auto-a-a-b-com":"infra/a hostname:a.b.com","auto-a-a-b-com-76344608":"infra/a"}`)
	f.Add(`{"auto-a-a-b-com":"infra/a hostname:x.com"}`)
	f.Fuzz(func(t *testing.T, text string) {
		mine := userListener("auto-mine", gatewayv1.HTTPSProtocolType)
		*mine.Hostname = "mine.com"
		theirs := []gatewayv1.Listener{baseGateway().Spec.Listeners[0], userListener("mine", gatewayv1.TLSProtocolType), mine}
		in := plan.Input{Gateway: baseGateway(), Certificates: []certmanagerv1.Certificate{certificate("infra", "a", "a-b.com"), certificate("infra", "b", "b.com")}}
		in.Gateway.Spec.Listeners = theirs
		in = settled(in)
		in.Certificates[0].Spec.DNSNames = []string{"a.b.com", "a-b.com"} // which spell alike; the second has the plain name
		in = settled(in)
		in.Certificates = append(in.Certificates, certificate("infra", "c", "mine.com", "c.com"))
		annotate(in.Gateway, plan.LedgerKey, text)

		p := plan.For(in)
		if diff := cmp.Diff(theirs, p.Listeners[:3]); diff != "" {
			t.Errorf("the users' listeners (-before +after):\n%s", diff)
		}
		for _, l := range theirs {
			if _, taken := p.Ledger[l.Name]; taken {
				t.Errorf("the ledger names %s", l.Name)
			}
		}
		if got := attached(p); got != "a-b.com a.b.com b.com c.com" {
			t.Errorf("attached: %q, want a-b.com a.b.com b.com c.com", got)
		}
		if diff := cmp.Diff(in.Gateway.Spec.Listeners, p.Listeners[:6]); diff != "" {
			t.Errorf("listeners that stood (-before +after):\n%s", diff)
		}
		if again := plan.For(settled(in)); !again.Unchanged() {
			t.Errorf("applied, there is still something to do: %+v", again)
		}
	})
}
