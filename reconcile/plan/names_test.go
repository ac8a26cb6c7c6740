package plan_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

func named(namespace, name string) types.NamespacedName {
	return types.NamespacedName{Namespace: namespace, Name: name}
}

func TestNamesThatWouldCollideAreToldApart(t *testing.T) {
	for _, tc := range []struct {
		name         string
		certificates []certmanagerv1.Certificate
	}{
		{"in one Certificate", []certmanagerv1.Certificate{certificate("infra", "a", "a.b.com", "a-b.com")}},
		{"across Certificates", []certmanagerv1.Certificate{certificate("infra", "a", "b-c.com"), certificate("infra", "a-b", "c.com")}},
		{"across namespaces", []certmanagerv1.Certificate{certificate("infra", "a", "x.com"), on8443(certificate("team-a", "a", "x.com"))}},
		{"a wildcard and its word", []certmanagerv1.Certificate{certificate("infra", "a", "*.x.com", "wildcard.x.com")}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			gateway := baseGateway()
			gateway.Annotations = map[string]string{plan.CertificateNamespacesKey: "All"}
			names := namesOf(plansFor(gateway, tc.certificates...).Listeners)
			slices.Sort(names)
			if got := len(slices.Compact(names)); got != 3 {
				t.Errorf("names %v: %d distinct, want 3", names, got)
			}
		})
	}
}

func on8443(c certmanagerv1.Certificate) certmanagerv1.Certificate {
	c.Annotations = map[string]string{plan.ListenerPortKey: "8443"}
	return c
}

func TestANewcomerNeverRenamesTheOneThatHasTheName(t *testing.T) {
	gateway := applied(baseGateway(), plansFor(baseGateway(), certificate("infra", "a", "a-b.com")))
	got := serving(plansFor(gateway, certificate("infra", "a", "a.b.com", "a-b.com")))
	if got["a-b.com"] != "auto-a-a-b-com" {
		t.Errorf("a-b.com is served by %s, want it to keep auto-a-a-b-com", got["a-b.com"])
	}
	if !strings.HasPrefix(got["a.b.com"], "auto-a-a-b-com-") {
		t.Errorf("a.b.com is served by %s, want auto-a-a-b-com with a suffix", got["a.b.com"])
	}
}

func TestANameOfAUsersListenerIsNotTaken(t *testing.T) {
	gateway := baseGateway()
	gateway.Spec.Listeners[0].Name = "auto-app-app-example-com"
	got := serving(plansFor(gateway, baseCertificate()))["app.example.com"]
	if !strings.HasPrefix(got, "auto-app-app-example-com-") {
		t.Errorf("served by %s, want a name with a suffix", got)
	}
}

func TestLongNamesAreCutToADNSLabel(t *testing.T) {
	long := strings.Repeat("a", 200)
	host := strings.Repeat("b", 56) + ".com"
	p := plansFor(baseGateway(), certificate("infra", long, host, "c."+host))
	names := namesOf(p.Listeners)
	if names[1] == names[2] {
		t.Errorf("both are called %s", names[1])
	}
	for _, name := range names {
		if errs := validation.IsDNS1123Label(string(name)); len(errs) > 0 {
			t.Errorf("name %s: %v", name, errs)
		}
	}
}

// A walk of random additions and removals: a listener that stays keeps its name,
// whatever comes and goes around it; a plan that was applied has nothing to do;
// and the order of the Certificates makes no difference.
func TestAListenerThatStaysKeepsItsName(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 0))
		gateway := baseGateway()
		present := map[string]certmanagerv1.Certificate{}
		before := map[string]string{}
		for step := range 12 {
			mutate(random, present)
			certificates := sortedValues(present)
			p := plansFor(gateway, certificates...)
			after := wishes(p)
			for w, name := range before {
				if now, ok := after[w]; ok && now != name {
					t.Fatalf("seed %d, step %d: %s was called %s and is now %s", seed, step, w, name, now)
				}
			}
			random.Shuffle(len(certificates), func(i, j int) { certificates[i], certificates[j] = certificates[j], certificates[i] })
			if shuffled := plansFor(gateway, certificates...); !reflect.DeepEqual(p, shuffled) {
				t.Fatalf("seed %d, step %d: the order of the Certificates matters:\n%s", seed, step, cmp.Diff(p, shuffled))
			}
			gateway, before = applied(gateway, p), after
			if again := plansFor(gateway, certificates...); !again.Unchanged() {
				t.Fatalf("seed %d, step %d: there is still something to do: %+v", seed, step, again.Changes)
			}
			distinct(t, p.Listeners)
		}
	}
}

// The same among other writers: they add and remove listeners of their own and
// wipe ours, as kubectl apply of the original manifest does. What is theirs
// stays theirs to the last field, and what comes back has its old name.
func TestOtherWritersLoseNothingAndNamesSurviveThem(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		gateway := baseGateway()
		gateway.Annotations = map[string]string{plan.CertificateNamespacesKey: "All"}
		certificates := map[string]certmanagerv1.Certificate{}
		before := map[string]string{}
		for step := range 15 {
			interfere(random, gateway)
			if random.IntN(2) == 0 {
				changeOne(random, certificates)
			}
			theirs := rawOf(gateway)
			p := plansFor(gateway, slices.Collect(maps.Values(certificates))...)
			after := wishes(p)
			for w, name := range before {
				if now, ok := after[w]; ok && now != name {
					t.Fatalf("seed %d, step %d: %s was called %s and is now %s", seed, step, w, name, now)
				}
			}
			gateway = applied(gateway, p)
			if now := rawOf(gateway); !reflect.DeepEqual(theirs, now) {
				t.Fatalf("seed %d, step %d: listeners of others (-before +after):\n%s", seed, step, cmp.Diff(theirs, now))
			}
			distinct(t, p.Listeners)
			before = after
		}
	}
}

// interfere is another writer's turn.
func interfere(random *rand.Rand, gateway *gatewayv1.Gateway) {
	keep := func(wanted func(gatewayv1.SectionName) bool) {
		gateway.Spec.Listeners = slices.DeleteFunc(gateway.Spec.Listeners, func(l gatewayv1.Listener) bool { return !wanted(l.Name) })
	}
	isTheirs := func(name gatewayv1.SectionName) bool { return !strings.HasPrefix(string(name), "auto-") }
	switch random.IntN(4) {
	case 0:
		keep(isTheirs)
	case 1:
		keep(func(name gatewayv1.SectionName) bool { return name != "mine" })
		gateway.Spec.Listeners = append(gateway.Spec.Listeners, gatewayv1.Listener{
			Name: "mine", Port: 443, Protocol: gatewayv1.TLSProtocolType, Hostname: new(gatewayv1.Hostname("c.com")),
		})
	case 2:
		keep(func(name gatewayv1.SectionName) bool { return name != "mine" })
	}
}

// changeOne makes, changes or removes one Certificate of two namespaces. Its
// hostnames spell alike, two by two: which of them bore the plain name only the
// ledger can tell after a wipe.
func changeOne(random *rand.Rand, certificates map[string]certmanagerv1.Certificate) {
	namespace := []string{"infra", "team-a"}[random.IntN(2)]
	name := []string{"a", "a-b", "b"}[random.IntN(3)]
	var dnsNames []string
	for _, host := range []string{"c.com", "b-c.com", "b.c.com", "a.b.com", "a-b.com", "*.x.com", "wildcard.x.com"} {
		if random.IntN(2) == 0 {
			dnsNames = append(dnsNames, host)
		}
	}
	c := certificate(namespace, name, dnsNames...)
	if random.IntN(3) == 0 {
		c = on8443(c)
	}
	certificates[namespace+"/"+name] = c
	if random.IntN(4) == 0 {
		delete(certificates, namespace+"/"+name)
	}
}

// rawOf returns the listeners that are not ours.
func rawOf(gateway *gatewayv1.Gateway) []gatewayv1.Listener {
	return slices.DeleteFunc(slices.Clone(gateway.Spec.Listeners), func(l gatewayv1.Listener) bool {
		return strings.HasPrefix(string(l.Name), "auto-")
	})
}

// mutate changes one Certificate out of a few that get into each other's way.
func mutate(random *rand.Rand, present map[string]certmanagerv1.Certificate) {
	names := []string{"a", "a-b", "b", "a-b-c"}
	hosts := []string{"c.com", "b-c.com", "b.c.com", "*.c.com", "wildcard.c.com", "c-com.com", "bad_name"}
	name := names[random.IntN(len(names))]
	if _, ok := present[name]; ok && random.IntN(3) == 0 {
		delete(present, name)
		return
	}
	var dnsNames []string
	for range random.IntN(4) {
		dnsNames = append(dnsNames, hosts[random.IntN(len(hosts))])
	}
	present[name] = certificate("infra", name, dnsNames...)
}

func sortedValues(present map[string]certmanagerv1.Certificate) []certmanagerv1.Certificate {
	var all []certmanagerv1.Certificate
	for _, name := range []string{"a", "a-b", "a-b-c", "b"} {
		if c, ok := present[name]; ok {
			all = append(all, c)
		}
	}
	return all
}

// wishes maps "certificate hostname" to the name of the listener for it.
func wishes(p plan.Plan) map[string]string {
	names := map[string]string{}
	for _, l := range p.Listeners {
		if entry, ours := p.Ledger[l.Name]; ours {
			names[fmt.Sprintf("%s %s", entry.Certificate, *l.Hostname)] = string(l.Name)
		}
	}
	return names
}

func distinct(t *testing.T, listeners []gatewayv1.Listener) {
	t.Helper()
	names := namesOf(listeners)
	slices.Sort(names)
	if len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Fatalf("names are not distinct: %v", names)
	}
}

func FuzzListenerName(f *testing.F) {
	f.Add("app", "app.example.com", "a-b.com")
	f.Add(strings.Repeat("a", 250), "*.x.com", "wildcard.x.com")
	f.Add("a.b--c", "xn--bcher-kva.example", "c")
	f.Fuzz(func(t *testing.T, certificateName, one, two string) {
		if len(validation.IsDNS1123Subdomain(certificateName)) > 0 {
			t.Skip("not a name that the API server would let a Certificate have")
		}
		c := certificate("infra", certificateName, one, two)
		p := plansFor(baseGateway(), c)
		for _, l := range p.Listeners[1:] {
			if errs := validation.IsDNS1123Label(string(l.Name)); len(errs) > 0 {
				t.Errorf("name %q: %v", l.Name, errs)
			}
		}
		distinct(t, p.Listeners)
		if again := plansFor(applied(baseGateway(), p), c); !again.Unchanged() {
			t.Errorf("there is still something to do: %+v", again.Changes)
		}
	})
}
