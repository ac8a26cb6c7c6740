package plan_test

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"testing"

	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// verdict is a controller's rule for which listeners it finds in conflict; it is
// the same for the same spec.
type verdict func(spec gatewayv1.GatewaySpec, listener int) bool

// verdicts are rules that controllers have, and the worst: one that is of a mind
// of its own about each listener, and one that is of another with each change of
// anything. Both come by the seed.
func verdicts(seed uint64) map[string]verdict {
	digest := func(of ...any) uint64 {
		text, _ := json.Marshal(append(of, seed)) // specs are always encoded
		h := fnv.New64a()
		h.Write(text)
		return h.Sum64()
	}
	speaksOtherwise := func(spec gatewayv1.GatewaySpec, i int) bool {
		for _, other := range spec.Listeners {
			if other.Port == spec.Listeners[i].Port && other.Protocol != spec.Listeners[i].Protocol {
				return true
			}
		}
		return false
	}
	return map[string]verdict{
		"all on a port of two protocols": speaksOtherwise,
		"all but the first on such a port": func(spec gatewayv1.GatewaySpec, i int) bool {
			for _, before := range spec.Listeners[:i] {
				if before.Port == spec.Listeners[i].Port && before.Protocol != spec.Listeners[i].Protocol {
					return true
				}
			}
			return false
		},
		"one at a time": func(spec gatewayv1.GatewaySpec, i int) bool {
			for j := range spec.Listeners[:i] {
				if speaksOtherwise(spec, j) && spec.Listeners[j].Protocol == spec.Listeners[i].Protocol {
					return false
				}
			}
			return speaksOtherwise(spec, i)
		},
		"every second listener": func(spec gatewayv1.GatewaySpec, i int) bool { return digest(spec.Listeners[i].Name)%2 == 0 },
		"others with each change": func(spec gatewayv1.GatewaySpec, i int) bool {
			return digest(spec, spec.Listeners[i].Name)%3 == 0
		},
	}
}

// rule writes the status of the Gateway's newest state.
func (v verdict) rule(gateway *gatewayv1.Gateway) {
	gateway.Status.Listeners = nil
	for i, l := range gateway.Spec.Listeners {
		conditions := programmed()
		if v(gateway.Spec, i) {
			conditions = but(conditions, protocolConflict)
		}
		for j := range conditions {
			conditions[j].ObservedGeneration = gateway.Generation
		}
		say(gateway, l.Name, conditions...)
	}
}

// crowded is a Gateway whose owner speaks other protocols on two ports, one of
// which is ours by default, with Certificates that want the one, the other or a
// third, and hostnames of each other.
func crowded(seed uint64) plan.Input {
	r := rand.New(rand.NewPCG(seed, 1))
	in := plan.Input{Gateway: baseGateway()}
	for i := range 1 + r.IntN(3) {
		l := passthrough()
		l.Name = gatewayv1.SectionName(fmt.Sprintf("mine-%d", i))
		l.Hostname = new(gatewayv1.Hostname(fmt.Sprintf("mine-%d.com", i)))
		l.Port = []gatewayv1.PortNumber{443, 8443}[r.IntN(2)]
		in.Gateway.Spec.Listeners = append(in.Gateway.Spec.Listeners, l)
	}
	if r.IntN(2) == 0 {
		annotate(in.Gateway, plan.MaxListenersKey, "5")
	}
	for i := range 3 + r.IntN(8) {
		c := certificate("infra", string(rune('a'+i)))
		for range 1 + r.IntN(3) {
			c.Spec.DNSNames = append(c.Spec.DNSNames, fmt.Sprintf("h%d.com", r.IntN(12)))
		}
		if r.IntN(2) == 0 {
			annotate(&c, plan.ListenerPortKey, []string{"8443", "9443"}[r.IntN(2)])
		}
		in.Certificates = append(in.Certificates, c)
	}
	return in
}

// maxRounds is how often planner and controller may answer each other: some more
// than there are listeners, for a controller that finds one at a time.
const maxRounds = 32

// rest is how planner and controller come to rest.
type rest struct {
	in      plan.Input
	rounds  int
	gaveWay int
}

// settleWith lets planner and controller answer each other until neither has
// anything to say.
func settleWith(t *testing.T, in plan.Input, v verdict) rest {
	t.Helper()
	theirs, gone := usersOf(in.Gateway.Spec.Listeners), map[gatewayv1.SectionName]bool{}
	for round := range maxRounds {
		p := plan.For(in)
		for _, change := range p.Changes {
			if change.Action == plan.Added && gone[change.Listener] {
				t.Fatalf("round %d: %s is back", round, change.Listener)
			}
			gone[change.Listener] = gone[change.Listener] || change.Action == plan.Removed
		}
		if now := usersOf(p.Listeners); now != theirs {
			t.Fatalf("round %d: users' listeners are %s, want %s", round, now, theirs)
		}
		if p.Unchanged() {
			return rest{in, round, len(gone)}
		}
		in.Gateway = applied(in.Gateway, p)
		in.Gateway.Generation++
		v.rule(in.Gateway)
	}
	t.Fatalf("after %d rounds there is still something to do: %+v", maxRounds, plan.For(in).Changes)
	return rest{}
}

func usersOf(listeners []gatewayv1.Listener) (names string) {
	for _, l := range listeners {
		if l.Protocol != gatewayv1.HTTPSProtocolType {
			names += " " + string(l.Name)
		}
	}
	return names
}

func TestPlannerAndControllerComeToRestWhateverItsRule(t *testing.T) {
	most, gaveWay := map[string]int{}, map[string]int{}
	for seed := range uint64(150) {
		for name, v := range verdicts(seed) {
			r := settleWith(t, crowded(seed), v)
			most[name] = max(most[name], r.rounds)
			gaveWay[name] += r.gaveWay
		}
	}
	for name, n := range gaveWay {
		if n < 100 {
			t.Errorf("%s: %d listeners gave way: these worlds do not try it", name, n)
		}
	}
	t.Logf("rounds at the most: %v; gave way in all: %v", most, gaveWay)
}

// The commonest rule is of the port: there all give way at once, and nobody else
// is tried.
func TestAPortOfTwoProtocolsIsGivenUpAtOnce(t *testing.T) {
	for seed := range uint64(150) {
		if r := settleWith(t, crowded(seed), verdicts(seed)["all on a port of two protocols"]); r.rounds > 3 {
			t.Errorf("seed %d: at rest after %d rounds, want at most 3", seed, r.rounds)
		}
	}
}

// Each try would break the users' listeners again, so that none hangs on what a
// tenant can change at will.
func TestWhatTenantsChangeBringsNothingBack(t *testing.T) {
	for seed := range uint64(150) {
		in := settleWith(t, crowded(seed), verdicts(seed)["all on a port of two protocols"]).in
		for i := range in.Certificates {
			in.Certificates[i].Spec.SecretName = "renewed"
			annotate(&in.Certificates[i], plan.AllowedRoutesKey, "Same")
		}
		for _, change := range plan.For(in).Changes {
			if change.Action == plan.Added {
				t.Errorf("seed %d: %s is tried again", seed, change.Listener)
			}
		}
	}
}
