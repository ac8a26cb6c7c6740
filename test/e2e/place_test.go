package e2e

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

const (
	// patience is how long a change may take to arrive; it takes well under a
	// second on a quiet machine.
	patience = 20 * time.Second
	pollEach = 20 * time.Millisecond
)

// place is a namespace of a test's own, and what is to be seen there.
type place struct {
	*namespace.Namespace
	t *testing.T
	// userOwned is each Gateway's user-owned listener, byte for byte as it was
	// when the Gateway was made.
	userOwned map[string]string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	return &place{namespace.New(t, system.Config()), t, map[string]string{}}
}

// newServed is a place where Gateway edge serves what Certificate app asks for.
func newServed(t *testing.T) *place {
	t.Helper()
	p := newPlace(t)
	p.createGateway("edge")
	p.CreateCertificate("app", "edge", "app.example.com")
	p.expect("edge", app)
	return p
}

// createGateway makes a Gateway of which expect holds the user-owned listener to
// what it is now.
func (p *place) createGateway(name string) {
	p.t.Helper()
	p.CreateGateway(name, nil)
	p.userOwned[name] = p.RawListeners(name)[namespace.UserOwned]
}

func must(t *testing.T, err error) {
	t.Helper()
	namespace.Must(t, err)
}

// patchCertificate applies a JSON merge patch.
func (p *place) patchCertificate(name, patch string) {
	p.t.Helper()
	_, err := p.Certificates.Patch(p.t.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	must(p.t, err)
}

func (p *place) deleteCertificate(name string) {
	p.t.Helper()
	must(p.t, p.Certificates.Delete(p.t.Context(), name, metav1.DeleteOptions{}))
}

// expect waits until the Gateway's listeners other than the user-owned are exactly these,
// each given as "name hostname secret".
func (p *place) expect(gateway string, want ...string) {
	p.t.Helper()
	slices.Sort(want)
	var got []string
	err := wait.PollUntilContextTimeout(p.t.Context(), pollEach, patience, true, func(context.Context) (bool, error) {
		got = listenersOf(p.Gateway(gateway))
		return slices.Equal(got, want), nil
	})
	if err != nil {
		p.t.Fatalf("after %s Gateway %s has listeners\n  %s\nwant\n  %s", patience, gateway,
			strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
	if now := p.RawListeners(gateway)[namespace.UserOwned]; now != p.userOwned[gateway] {
		p.t.Errorf("the user-owned listener of Gateway %s was\n%s\nand is\n%s", gateway, p.userOwned[gateway], now)
	}
	p.checkLedger(gateway)
}

// checkLedger holds the ledger and the label to what expect has found.
func (p *place) checkLedger(name string) {
	p.t.Helper()
	gateway := p.Gateway(name)
	ledger, err := plan.ParseLedger(gateway.Annotations[plan.LedgerKey])
	must(p.t, err)
	var ours []string
	for _, l := range gateway.Spec.Listeners {
		if l.Name != namespace.UserOwned {
			ours = append(ours, string(l.Name))
		}
	}
	slices.Sort(ours)
	var recorded []string
	for _, listener := range slices.Sorted(maps.Keys(ledger)) {
		recorded = append(recorded, string(listener))
	}
	if !slices.Equal(ours, recorded) {
		p.t.Errorf("the ledger of Gateway %s names %v, but ours are %v", name, recorded, ours)
	}
	if managed := gateway.Labels[plan.ManagedKey] == plan.ManagedValue; managed != (len(ours) > 0) {
		p.t.Errorf("Gateway %s with %d listeners of ours is labelled managed: %v", name, len(ours), managed)
	}
}

func listenersOf(gateway *gatewayv1.Gateway) []string {
	var all []string
	for _, l := range gateway.Spec.Listeners {
		if l.Name == namespace.UserOwned {
			continue
		}
		all = append(all, fmt.Sprintf("%s %s %s", l.Name, *l.Hostname, l.TLS.CertificateRefs[0].Name))
	}
	slices.Sort(all)
	return all
}
