package plan_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// lookAlike is the base input where the listener that its Certificate asks for
// stands already, and no ledger says whose it is.
func lookAlike() (in *plan.Input, listener *gatewayv1.Listener) {
	in = baseInput()
	in.Gateway.Spec.Listeners = plan.For(*in).Listeners
	in.Gateway = in.Gateway.DeepCopy()
	return in, &in.Gateway.Spec.Listeners[1]
}

func TestAListenerThatIsWhatACertificateAsksForIsTakenOver(t *testing.T) {
	for _, tc := range []struct {
		name   string
		mutate func(*plan.Input, *gatewayv1.Listener)
		fields []string
	}{
		{"wholly", func(*plan.Input, *gatewayv1.Listener) {}, nil},
		{"beside a ledger that does not name it", func(in *plan.Input, _ *gatewayv1.Listener) {
			annotate(in.Gateway, plan.LedgerKey, `{"auto-other-other-example-com":"infra/other"}`)
		}, nil},
		{"beside a ledger that gives it to another Certificate", func(in *plan.Input, _ *gatewayv1.Listener) {
			annotate(in.Gateway, plan.LedgerKey, `{"auto-app-app-example-com":"infra/other"}`)
		}, nil},
		{"with the Gateway's namespace spelled out", func(_ *plan.Input, l *gatewayv1.Listener) {
			l.TLS.CertificateRefs[0].Namespace = new(gatewayv1.Namespace("infra"))
		}, nil},
		{"under its hashed name", func(in *plan.Input, l *gatewayv1.Listener) { l.Name = hashedName(*app(in)) }, nil},
		{"but for its port", func(_ *plan.Input, l *gatewayv1.Listener) { l.Port = 8443 }, []string{"port"}},
		{"but for its protocol", func(_ *plan.Input, l *gatewayv1.Listener) { l.Protocol = gatewayv1.TLSProtocolType }, []string{"protocol"}},
		{"but for its routes", func(_ *plan.Input, l *gatewayv1.Listener) {
			l.AllowedRoutes = &gatewayv1.AllowedRoutes{Namespaces: &gatewayv1.RouteNamespaces{From: new(gatewayv1.NamespacesFromSame)}, Kinds: []gatewayv1.RouteGroupKind{{Kind: "HTTPRoute"}}}
		}, []string{"allowedRoutes.namespaces", "allowedRoutes.kinds"}},
		{"but for its TLS options", func(_ *plan.Input, l *gatewayv1.Listener) {
			l.TLS.Options = map[gatewayv1.AnnotationKey]gatewayv1.AnnotationValue{"a": "b"}
		}, []string{"tls.options"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in, listener := lookAlike()
			tc.mutate(in, listener)
			p := plan.For(*in)
			if got := p.Ledger[listener.Name].Certificate; got != named("infra", "app") || len(p.Ledger) != 1 {
				t.Errorf("ledger = %s, want %s to be infra/app's", p.Ledger, listener.Name)
			}
			var fields []string
			for _, c := range p.Changes {
				fields = append(fields, c.Fields...)
			}
			if diff := cmp.Diff(tc.fields, fields); diff != "" {
				t.Errorf("fields healed (-want +got):\n%s", diff)
			}
			if !slices.ContainsFunc(p.Notes, func(f plan.Finding) bool {
				return f.Reason == plan.ReasonLedgerCorrected && f.Listener == listener.Name
			}) {
				t.Errorf("notes = %+v, want a %s about %s", p.Notes, plan.ReasonLedgerCorrected, listener.Name)
			}
			if again := plan.For(settled(*in)); !again.Unchanged() || len(again.Notes) != 0 {
				t.Errorf("applied, there is still something to do or say: %v, %v", again.Changes, again.Notes)
			}
		})
	}
}

func TestAListenerThatIsLessThanACertificateAsksForStaysItsOwners(t *testing.T) {
	for _, tc := range []struct {
		name   string
		mutate func(*plan.Input, *gatewayv1.Listener)
	}{
		{"another name", func(_ *plan.Input, l *gatewayv1.Listener) { l.Name = "auto-app-app-example-org" }},
		{"a suffix that is no hash of it", func(_ *plan.Input, l *gatewayv1.Listener) { l.Name += "-01234567" }},
		{"another hostname", func(_ *plan.Input, l *gatewayv1.Listener) { *l.Hostname = "app-example.com" }},
		{"no hostname", func(_ *plan.Input, l *gatewayv1.Listener) { l.Hostname = nil }},
		{"another Secret", func(_ *plan.Input, l *gatewayv1.Listener) { l.TLS.CertificateRefs[0].Name = "mine" }},
		{"another namespace of the Secret", func(_ *plan.Input, l *gatewayv1.Listener) {
			l.TLS.CertificateRefs[0].Namespace = new(gatewayv1.Namespace("team-a"))
		}},
		{"another kind of reference", func(_ *plan.Input, l *gatewayv1.Listener) {
			l.TLS.CertificateRefs[0].Kind = new(gatewayv1.Kind("ConfigMap"))
		}},
		{"a second reference", func(_ *plan.Input, l *gatewayv1.Listener) {
			l.TLS.CertificateRefs = append(l.TLS.CertificateRefs, gatewayv1.SecretObjectReference{Name: "second"})
		}},
		{"no reference", func(_ *plan.Input, l *gatewayv1.Listener) { l.TLS.CertificateRefs = nil }},
		{"no TLS", func(_ *plan.Input, l *gatewayv1.Listener) { l.TLS = nil }},
		{"a Certificate that does not ask for it any more", func(in *plan.Input, _ *gatewayv1.Listener) {
			app(in).Spec.DNSNames = []string{"other.example.com"}
		}},
		{"a Certificate that is gone", func(in *plan.Input, _ *gatewayv1.Listener) { in.Certificates = nil }},
		{"a Certificate that may not attach", func(in *plan.Input, l *gatewayv1.Listener) {
			app(in).Namespace = "team-a"
			l.TLS.CertificateRefs[0].Namespace = new(gatewayv1.Namespace("team-a"))
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in, listener := lookAlike()
			tc.mutate(in, listener)
			p := plan.For(*in)
			if diff := cmp.Diff(in.Gateway.Spec.Listeners, p.Listeners[:2]); diff != "" {
				t.Errorf("the owner's listeners (-before +after):\n%s", diff)
			}
			if _, taken := p.Ledger[listener.Name]; taken {
				t.Errorf("the ledger %s names it", p.Ledger)
			}
		})
	}
}

// The ledger says it is ours, but the name cannot have come from there.
func TestALedgersWordIsBelievedOnlyWhereTheNameCanHaveComeFromThere(t *testing.T) {
	for _, tc := range []struct {
		name, entry string
		mutate      func(*gatewayv1.Listener)
		believed    bool
	}{
		{"the Certificate's name, its own hostname", "infra/gone", func(l *gatewayv1.Listener) {
			l.Name, l.Hostname = "auto-gone-x-com", new(gatewayv1.Hostname("x.com"))
		}, true},
		{"a hostname that somebody has changed", "infra/app", func(l *gatewayv1.Listener) { *l.Hostname = "x.com" }, true},
		{"a Secret that somebody has changed", "infra/app", func(l *gatewayv1.Listener) { l.TLS.CertificateRefs[0].Name = "x" }, true},
		{"a name of another Certificate", "infra/other", func(l *gatewayv1.Listener) { l.TLS.CertificateRefs[0].Name = "x" }, false},
		{"a name of another hostname, the Certificate gone", "infra/gone", func(l *gatewayv1.Listener) { l.Name = "auto-gone-x-com" }, false},
		{"a name that no Certificate gives", "infra/app", func(l *gatewayv1.Listener) { l.Name = "mine" }, false},
		{"a suffix that is no hash", "infra/app", func(l *gatewayv1.Listener) { l.Name = "auto-app-app-example-com-01234567" }, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in, listener := lookAlike()
			tc.mutate(listener)
			annotate(in.Gateway, plan.LedgerKey, `{"`+string(listener.Name)+`":"`+tc.entry+`"}`)
			before := listener.DeepCopy()
			p := plan.For(*in)
			if untouched := cmp.Equal(*before, p.Listeners[1]); untouched == tc.believed {
				t.Errorf("untouched: %v, want %v; changes: %v", untouched, !tc.believed, p.Changes)
			}
			if reported := cmp.Equal(noted(p), []plan.Reason{plan.ReasonLedgerCorrected}); reported == tc.believed {
				t.Errorf("notes = %v, want %s only where it is not believed", noted(p), plan.ReasonLedgerCorrected)
			}
		})
	}
}
