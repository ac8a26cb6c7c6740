package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// Each row changes something about a Gateway that serves app.example.com.
func TestTheImpactOfAPlan(t *testing.T) {
	for _, tc := range []struct {
		name   string
		mutate func(*plan.Input)
		want   plan.Impact
		says   string
	}{
		{"nothing", func(*plan.Input) {}, plan.ImpactNone, "no listener changes"},
		{"a lost ledger", func(in *plan.Input) { in.Gateway.Annotations = nil }, plan.ImpactNone, "no listener changes"},
		{"a pause, whatever is asked for", func(in *plan.Input) {
			annotate(in.Gateway, plan.PausedKey, "true")
			in.Certificates = nil
		}, plan.ImpactNone, "no listener changes"},
		{"another DNS name", func(in *plan.Input) {
			app(in).Spec.DNSNames = append(app(in).Spec.DNSNames, "b.example.com")
		}, plan.ImpactAdditive, "auto-app-b-example-com: it is new"},
		{"a listener that somebody has taken off", func(in *plan.Input) {
			in.Gateway.Spec.Listeners = in.Gateway.Spec.Listeners[:1]
		}, plan.ImpactAdditive, "auto-app-app-example-com: it is put back"},
		{"another Secret", func(in *plan.Input) {
			app(in).Spec.SecretName = "new"
		}, plan.ImpactChanging, "auto-app-app-example-com: it serves on, with another tls.certificateRefs"},
		{"another Secret, and a new listener", func(in *plan.Input) {
			app(in).Spec.SecretName = "new"
			app(in).Spec.DNSNames = append(app(in).Spec.DNSNames, "b.example.com")
		}, plan.ImpactChanging, "auto-app-app-example-com: it serves on, with another tls.certificateRefs"},
		{"other routes", func(in *plan.Input) { annotate(app(in), plan.AllowedRoutesKey, "Same") }, plan.ImpactChanging, "auto-app-app-example-com: it serves on, with another allowedRoutes.namespaces"},
		{"another port", func(in *plan.Input) {
			annotate(app(in), plan.ListenerPortKey, "8443")
			app(in).Spec.SecretName = "new"
		}, plan.ImpactDisruptive, "auto-app-app-example-com: it gets another port, and what it serves now ends"},
		{"somebody's other protocol, put right", func(in *plan.Input) {
			in.Gateway.Spec.Listeners[1].Protocol = gatewayv1.TLSProtocolType
		}, plan.ImpactDisruptive, "auto-app-app-example-com: it gets another protocol, and what it serves now ends"},
		{"somebody's other hostname, put right", func(in *plan.Input) {
			in.Gateway.Spec.Listeners[1].Hostname = new(gatewayv1.Hostname("x.example.com"))
		}, plan.ImpactDisruptive, "auto-app-app-example-com: it gets another hostname, and what it serves now ends"},
		{"a Certificate that is going", func(in *plan.Input) {
			app(in).DeletionTimestamp = &metav1.Time{Time: dayZero}
		}, plan.ImpactDisruptive, "auto-app-app-example-com: it goes, and what it serves now ends"},
		{"one hostname for another", func(in *plan.Input) {
			app(in).Spec.DNSNames = []string{"b.example.com"}
		}, plan.ImpactDisruptive, "auto-app-app-example-com: it goes, and what it serves now ends"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := settled(*baseInput())
			in.Gateway, in.Certificates = in.Gateway.DeepCopy(), baseInput().Certificates
			tc.mutate(&in)
			impact, why := plan.For(in).Impact()
			if impact != tc.want || why != tc.says {
				t.Errorf("the impact is %s: %s; want %s: %s", impact, why, tc.want, tc.says)
			}
		})
	}
}

func TestOfManyListenersAReasonNamesTheFirstFew(t *testing.T) {
	in := baseInput()
	app(in).Spec.DNSNames = []string{"a.com", "b.com", "c.com", "d.com", "e.com"}
	_, why := plan.For(*in).Impact()
	want := "auto-app-a-com: it is new; auto-app-b-com: it is new; auto-app-c-com: it is new; and 2 more"
	if why != want {
		t.Errorf("why = %q, want %q", why, want)
	}
}

// judgeImpact compares the listeners themselves, whatever the changes say.
func judgeImpact(before []gatewayv1.Listener, p plan.Plan) (faults []string) {
	type place struct{ hostname, port, protocol any }
	placeOf := func(l gatewayv1.Listener) place { return place{hostnameOf(l), l.Port, l.Protocol} }
	after := map[gatewayv1.SectionName]gatewayv1.Listener{}
	for _, l := range p.Listeners {
		after[l.Name] = l
	}
	want := plan.ImpactNone
	if len(p.Listeners) > len(before) {
		want = plan.ImpactAdditive
	}
	for _, had := range before {
		has, stays := after[had.Name]
		switch {
		case !stays || placeOf(has) != placeOf(had):
			want = plan.ImpactDisruptive
		case want != plan.ImpactDisruptive && !cmp.Equal(had, has):
			want = plan.ImpactChanging
		}
	}
	if impact, why := p.Impact(); impact != want {
		faults = append(faults, "the impact is "+string(impact)+": "+why+"; want "+string(want))
	}
	return faults
}

func hostnameOf(l gatewayv1.Listener) gatewayv1.Hostname {
	if l.Hostname == nil {
		return ""
	}
	return *l.Hostname
}

func TestTheOwnerIsToldWhatWasWrittenByTheWorstOfIt(t *testing.T) {
	added := plan.Change{Action: plan.Added}
	renewed := plan.Change{Action: plan.Changed, Fields: []string{"tls.certificateRefs"}}
	moved := plan.Change{Action: plan.Changed, Fields: []string{"port", "tls.certificateRefs"}}
	gone := plan.Change{Action: plan.Removed}
	for name, tc := range map[string]struct {
		changes []plan.Change
		want    plan.Reason // empty: nothing is told
	}{
		"nothing":           {nil, ""},
		"two that come":     {[]plan.Change{added, added}, plan.ReasonListenersAdded},
		"one that stays":    {[]plan.Change{added, renewed}, plan.ReasonListenersChanged},
		"one that moves":    {[]plan.Change{added, moved}, plan.ReasonListenersDisrupted},
		"two that go":       {[]plan.Change{gone, renewed, gone}, plan.ReasonListenersDisrupted},
		"one of every kind": {[]plan.Change{gone, added, moved, renewed}, plan.ReasonListenersDisrupted},
	} {
		f, ok := plan.Told(tc.changes)
		if f.Reason != tc.want || ok != (tc.want != "") {
			t.Errorf("%s: %q, want %q", name, f.Reason, tc.want)
		}
	}
}
