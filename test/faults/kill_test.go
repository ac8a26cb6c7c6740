package faults

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"gateway-cert-operator.io/gateway-cert-handler/knative"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

const (
	// killWithin is how long after a change the handler is killed at the latest:
	// as long as an event on its way, a run and a patch take together.
	killWithin = 40 * time.Millisecond

	killedGateways  = 3
	maxCertificates = 12
)

func TestAHandlerKilledAnywhereLeavesNothingThatTheNextEventOrSweepDoesNotPutRight(t *testing.T) {
	runs := 100
	if testing.Short() {
		runs = 20
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	sweeping, err := startSettings(t.TempDir(), true)
	must(t, err)
	watching, stop := context.WithCancel(t.Context())
	defer stop()
	s := newSite(t, killedGateways)
	k := &killing{site: s, random: rand.New(rand.NewPCG(seed, 0)), events: s.certificateEvents(watching)}
	defer restartHandler(t, stack.HandlerOptions{}) // as the next test wants it
	written := 0
	for i := range runs {
		before := s.resourceVersions()
		did := k.change()
		after := time.Duration(k.random.Int64N(int64(killWithin)))
		time.Sleep(after)
		must(t, system.KillHandler(system.ctx))
		written += s.countChanged(before)
		next := <-k.events
		var options stack.HandlerOptions
		if k.random.IntN(2) == 0 {
			options.Args = sweeping
		}
		startHandler(t, options)
		if k.random.IntN(2) == 0 {
			next = newEvent(knative.Ping)
		}
		mustDeliver(t, system.HandlerURL(), next)
		if s.checkExact(); t.Failed() {
			t.Fatalf("run %d: %s, killed %s later, started with %v, then an event of type %s", i+1, did, after, options.Args, next.Type())
		}
	}
	t.Logf("in %d of %d runs a Gateway was written before the handler was killed", written, runs)
}

// countChanged returns 1 if a Gateway is not what it was, else 0.
func (s *site) countChanged(before map[string]string) int {
	for name, version := range s.resourceVersions() {
		if before[name] != version {
			return 1
		}
	}
	return 0
}

// killing changes Certificates at random.
type killing struct {
	*site
	random *rand.Rand
	// events are those of the changes, as the adapter sends them.
	events <-chan event.Event
	names  []string // of the Certificates there are
	made   int
}

// change makes one change of a Certificate and says which. Now and then the
// owner of a Gateway changes a listener of theirs just before.
func (k *killing) change() string {
	k.t.Helper()
	did := ""
	if k.random.IntN(4) == 0 {
		did = k.editOwned() + ", "
	}
	switch n := k.random.IntN(10); {
	case len(k.names) == 0, n < 4 && len(k.names) < maxCertificates:
		return did + k.create()
	case n < 6:
		i := k.random.IntN(len(k.names))
		name := k.names[i]
		k.names = slices.Delete(k.names, i, i+1)
		k.deleteCertificate(name)
		return did + "delete " + name
	default:
		name := k.names[k.random.IntN(len(k.names))]
		k.made++
		patch := []string{
			fmt.Sprintf(`{"spec":{"dnsNames":["%s-%d.example.com","%[1]s.example.com"]}}`, name, k.made),
			fmt.Sprintf(`{"spec":{"secretName":"s-%d"}}`, k.made),
			fmt.Sprintf(`{"metadata":{"labels":{%q:%q},"annotations":{"n":"%d"}}}`, plan.GatewayNameKey, k.anyGateway(), k.made),
		}[k.random.IntN(3)]
		k.patchCertificate(name, patch)
		return did + "patch " + name + " by " + patch
	}
}

func (k *killing) create() string {
	k.t.Helper()
	k.made++
	name, gateway := fmt.Sprintf("k%d", k.made), k.anyGateway()
	_, err := k.Certificates.Create(k.t.Context(), newCertificate(name, gateway), metav1.CreateOptions{})
	must(k.t, err)
	k.names = append(k.names, name)
	return fmt.Sprintf("create %s for %s", name, gateway)
}

// editOwned changes the port of listener [legacy], which is the second.
func (k *killing) editOwned() string {
	k.t.Helper()
	gateway := k.anyGateway()
	patch := fmt.Sprintf(`[{"op":"replace","path":"/spec/listeners/1/port","value":%d}]`, 8000+k.random.IntN(999))
	_, err := k.Gateways.Patch(k.t.Context(), gateway, types.JSONPatchType, []byte(patch), metav1.PatchOptions{FieldManager: "owner"})
	must(k.t, err)
	k.owned[gateway] = ownedBy(k.t, k.rawGateway(gateway))
	return "edit " + gateway
}

func (k *killing) anyGateway() string { return gatewayName(k.random.IntN(killedGateways)) }
