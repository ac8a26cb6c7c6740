package cluster_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/trace/noop"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// blamed returns the listeners that a refusal blames; anything else than a
// refusal ends the test.
func blamed(t *testing.T, err error) map[gatewayv1.SectionName]string {
	t.Helper()
	refusal, ok := errors.AsType[*cluster.RefusedError](err)
	if !ok || !errors.Is(err, cluster.ErrRefused) || errors.Is(err, cluster.ErrOutdated) {
		t.Fatalf("error = %v, want a refusal", err)
	}
	return refusal.Listeners
}

func TestAListenerThatTheServerWillNotHaveIsBlamed(t *testing.T) {
	l := newLive(t)
	gateway := l.createGateway(nil)
	p := planFor(gateway, "a.example.com", "b.example.com", "c.example.com")
	bad := &p.Listeners[2]
	bad.Hostname = new(gatewayv1.Hostname("not a hostname"))
	_, err := l.Write(t.Context(), gateway, p)
	got := blamed(t, err)
	if len(got) != 1 || !strings.Contains(got[bad.Name], "not a hostname") {
		t.Errorf("blamed = %v, want %s alone, with its hostname", got, bad.Name)
	}
	if !strings.Contains(err.Error(), "spec.listeners[2].hostname") {
		t.Errorf("the error %q does not name the field", err)
	}
}

// Positions are those after the patch, which removes a listener before the bad one.
func TestTheRightListenerIsBlamedWhereOthersComeAndGo(t *testing.T) {
	l := newLive(t)
	first := l.createGateway(nil)
	gateway, err := l.Write(t.Context(), first, planFor(first, "a.example.com", "b.example.com", "c.example.com"))
	namespace.Must(t, err)
	p := planFor(gateway, "b.example.com", "c.example.com", "d.example.com", "e.example.com")
	bad := &p.Listeners[len(p.Listeners)-1]
	bad.Hostname = new(gatewayv1.Hostname("-"))
	_, err = l.Write(t.Context(), gateway, p)
	if got := blamed(t, err); len(got) != 1 || got[bad.Name] == "" {
		t.Errorf("blamed = %v, want %s alone", got, bad.Name)
	}
}

func TestARuleOnTheWholeListBlamesNoListener(t *testing.T) {
	l := newLive(t)
	gateway := l.createGateway(nil)
	for name, spoil := range map[string]func(p *plan.Plan){
		"two of one port, protocol and hostname": func(p *plan.Plan) {
			twin := p.Listeners[1]
			twin.Name = "twin"
			p.Listeners = append(p.Listeners, twin)
		},
		"too many": func(p *plan.Plan) {
			for port := gatewayv1.PortNumber(1000); len(p.Listeners) < 65; port++ {
				another := p.Listeners[1]
				another.Name, another.Port = gatewayv1.SectionName(fmt.Sprint("another-", port)), port
				p.Listeners = append(p.Listeners, another)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := planFor(gateway, "a.example.com")
			spoil(&p)
			_, err := l.Write(t.Context(), gateway, p)
			if got := blamed(t, err); len(got) != 0 {
				t.Errorf("blamed = %v, want none", got)
			}
		})
	}
}

func TestWantOfRightsIsNoRefusal(t *testing.T) {
	l := newLive(t)
	gateway := l.createGateway(nil)
	nobody := as(t, rest.ImpersonationConfig{UserName: "nobody-in-particular"})
	p := planFor(gateway, "a.example.com")
	_, err := nobody.Write(t.Context(), gateway, p)
	for _, err := range []error{err, nobody.Try(t.Context(), gateway, p)} {
		if !apierrors.IsForbidden(err) || errors.Is(err, cluster.ErrRefused) || errors.Is(err, cluster.ErrOutdated) {
			t.Errorf("error = %v, want the API server's Forbidden alone", err)
		}
	}
}

// as returns the cluster as someone else sees it.
func as(t *testing.T, who rest.ImpersonationConfig) *cluster.Cluster {
	t.Helper()
	config := plane.Config()
	config.Impersonate = who
	c, err := cluster.New(config, noop.NewTracerProvider())
	namespace.Must(t, err)
	return c
}

func TestTryWritesNothing(t *testing.T) {
	l := newLive(t)
	gateway := l.createGateway(nil)
	namespace.Must(t, l.Try(t.Context(), gateway, planFor(gateway, "a.example.com")))
	if diff := cmp.Diff(gateway, l.user.Gateway("edge")); diff != "" {
		t.Errorf("the Gateway (-before +after Try):\n%s", diff)
	}
}

func TestTryFailsAsWriteWould(t *testing.T) {
	l := newLive(t)
	gateway := l.createGateway(nil)
	p := planFor(gateway, "a.example.com")
	p.Listeners[1].Hostname = new(gatewayv1.Hostname("not a hostname"))
	if got := blamed(t, l.Try(t.Context(), gateway, p)); got[p.Listeners[1].Name] == "" {
		t.Errorf("blamed = %v, want %s", got, p.Listeners[1].Name)
	}
	_, err := l.Write(t.Context(), gateway, planFor(gateway, "a.example.com"))
	namespace.Must(t, err)
	if err := l.Try(t.Context(), gateway, planFor(gateway, "b.example.com")); !errors.Is(err, cluster.ErrOutdated) {
		t.Errorf("Try = %v, want outdated", err)
	}
}
