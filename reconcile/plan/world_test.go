package plan_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// world is a Gateway among its owner, tenants and other writers, who all do as
// they like. What they may say, with its meaning, stands in meaning_test.go.
type world struct {
	*rand.Rand
	seed uint64
	in   plan.Input
	// refuses lets the API server refuse some listeners.
	refuses bool
	// rules are what the settings may hold, each for a while.
	rules []plan.Rules
}

func newWorld(seed, stream uint64) *world {
	w := &world{Rand: rand.New(rand.NewPCG(seed, stream)), seed: seed, in: plan.Input{Gateway: baseGateway()}}
	for range 4 {
		w.certificate()
	}
	for range 2 {
		w.owner()
	}
	w.cluster()
	return w
}

// turn is what happens between two runs.
func (w *world) turn() {
	w.in.Refused = nil
	for range 1 + w.IntN(3) {
		turns := []func(){w.certificate, w.certificate, w.owner, w.cluster, w.listeners, w.ledger, w.edit}
		turns[w.IntN(len(turns))]()
	}
	if len(w.rules) > 0 {
		w.in.Defaults.Rules = pick(w, w.rules)
	}
	if w.refuses && w.IntN(2) == 0 {
		w.refusal()
	}
}

func pick[T any](w *world, from []T) T { return from[w.IntN(len(from))] }

// often picks the first, where two picks agree on no other.
func often[T any](w *world, from []T) T { return from[min(w.IntN(len(from)), w.IntN(len(from)))] }

// owner says something in one of the Gateway's annotations.
func (w *world) owner() {
	w.in.Gateway = w.in.Gateway.DeepCopy()
	key := pick(w, gatewayKeys)
	if w.IntN(3) == 0 {
		delete(w.in.Gateway.Annotations, key)
		return
	}
	annotate(w.in.Gateway, key, often(w, sayings[key]))
	if w.IntN(4) == 0 {
		delete(w.in.Gateway.Annotations, plan.PausedKey)
	}
}

// cluster changes Namespaces, grants and defaults.
func (w *world) cluster() {
	w.in.Namespaces = nil
	if w.IntN(4) > 0 {
		w.in.Namespaces = map[string]metav1.ObjectMeta{}
		for _, name := range namespaceNames {
			meta := namespace(name, nil)
			meta.Labels = with(with(meta.Labels, "env", pick(w, []string{"prod", "dev", ""})), "tier", pick(w, []string{"gold", ""}))
			if w.IntN(4) == 0 {
				annotate(&meta, plan.AllowedHostnamesKey, pick(w, sayings[plan.AllowedHostnamesKey]))
			}
			if w.IntN(8) > 0 {
				w.in.Namespaces[name] = meta
			}
		}
	}
	w.in.Grants = nil
	if w.IntN(2) == 0 {
		w.in.Grants = []gatewayv1.ReferenceGrant{grant(func(*gatewayv1.ReferenceGrant) {})}
	}
	w.in.Defaults = plan.Defaults{}
	if w.IntN(8) == 0 {
		w.in.Defaults.Mode = plan.ModeDryRun
	}
	for _, key := range gatewayKeys {
		if field, ok := defaultsOf(&w.in.Defaults)[key]; ok && w.IntN(6) == 0 {
			*field = pick(w, sayings[key])
		}
	}
}

// certificate makes, changes or removes one of a few that get into each other's
// way.
func (w *world) certificate() {
	c := certificate(pick(w, namespaceNames), pick(w, []string{"a", "a-b", "b", "b.c", strings.Repeat("l", 50)}))
	w.in.Certificates = slices.DeleteFunc(slices.Clone(w.in.Certificates), func(old certmanagerv1.Certificate) bool {
		return old.Namespace == c.Namespace && old.Name == c.Name
	})
	if w.IntN(5) == 0 {
		return
	}
	for range w.IntN(6) {
		c.Spec.DNSNames = append(c.Spec.DNSNames, pick(w, dnsNamesOf))
	}
	if w.IntN(10) == 0 {
		c.Spec.DNSNames = dnsNames(30)
	}
	if w.IntN(3) == 0 {
		annotate(&c, plan.ListenerPortKey, pick(w, sayings[plan.ListenerPortKey]))
	}
	if w.IntN(3) == 0 {
		annotate(&c, plan.AllowedRoutesKey, pick(w, sayings[plan.AllowedRoutesKey]))
	}
	c.Spec.SecretName = pick(w, []string{c.Spec.SecretName, c.Spec.SecretName, c.Spec.SecretName, "shared", "No_Secret"})
	c.Status = pick(w, []certmanagerv1.CertificateStatus{
		readiness(cmmeta.ConditionTrue, 1), readiness(cmmeta.ConditionFalse, 1), readiness(cmmeta.ConditionFalse, 0), {},
	})
	switch w.IntN(12) {
	case 0:
		c.DeletionTimestamp = &metav1.Time{Time: dayZero}
	case 1:
		c.OwnerReferences = []metav1.OwnerReference{{APIVersion: "gateway.networking.k8s.io/v1", Kind: "Gateway", Name: "edge", Controller: new(w.IntN(2) == 0)}}
	}
	w.in.Certificates = append(w.in.Certificates, c)
}

// listeners lets users add and remove listeners of their own, and wipe ours.
func (w *world) listeners() {
	w.in.Gateway = w.in.Gateway.DeepCopy()
	spec := &w.in.Gateway.Spec
	drop := func(gone func(gatewayv1.Listener) bool) {
		if left := slices.DeleteFunc(slices.Clone(spec.Listeners), gone); len(left) > 0 {
			spec.Listeners = left
		}
	}
	add := func(l gatewayv1.Listener) {
		at := w.IntN(len(spec.Listeners) + 1)
		spec.Listeners = slices.Insert(slices.Clone(spec.Listeners), at, l)
		if len(spec.Listeners) > 64 || !admitted(spec.Listeners) {
			spec.Listeners = slices.Delete(spec.Listeners, at, at+1)
		}
	}
	switch w.IntN(7) {
	case 0:
		drop(func(l gatewayv1.Listener) bool { return !isUsers(l) })
	case 1:
		drop(func(gatewayv1.Listener) bool { return w.IntN(3) == 0 })
	case 2:
		add(gatewayv1.Listener{Name: "user-plain", Port: pick(w, []gatewayv1.PortNumber{443, 8443, 8080}), Protocol: pick(w, []gatewayv1.ProtocolType{
			gatewayv1.HTTPProtocolType, gatewayv1.TCPProtocolType, gatewayv1.UDPProtocolType,
		})})
	case 3: // with the name, and perhaps the hostname, of one that could be ours
		name := pick(w, []gatewayv1.SectionName{"auto-a-c-com", "auto-a-b-c-com", "auto-b-a-example-com", "user-tls"})
		if !strings.Contains(w.in.Gateway.Annotations[plan.LedgerKey], string(name)) {
			l := userListener(name, pick(w, []gatewayv1.ProtocolType{gatewayv1.HTTPSProtocolType, gatewayv1.TLSProtocolType}))
			l.TLS.CertificateRefs[0].Name = "users-own"
			l.Hostname = new(gatewayv1.Hostname(pick(w, []string{"c.com", "a.example.com", "b-c.com", "other.com"})))
			add(l)
		}
	case 4:
		for i := range w.IntN(60) {
			add(gatewayv1.Listener{Name: gatewayv1.SectionName(fmt.Sprintf("user-%02d", i)), Port: gatewayv1.PortNumber(9000 + i), Protocol: gatewayv1.HTTPProtocolType})
		}
	case 5:
		drop(func(l gatewayv1.Listener) bool { return strings.HasPrefix(string(l.Name), "user-") })
	case 6:
		drop(isUsers)
	}
}

// edit changes a field of a listener that is not marked as a user's.
func (w *world) edit() {
	edited := w.in.Gateway.DeepCopy()
	l := &edited.Spec.Listeners[w.IntN(len(edited.Spec.Listeners))]
	if isUsers(*l) || l.TLS == nil {
		return
	}
	switch w.IntN(7) {
	case 0:
		l.Port = pick(w, []gatewayv1.PortNumber{443, 8443, 444})
	case 1:
		l.Hostname = new(gatewayv1.Hostname(pick(w, []string{"c.com", "edited.com", "b-c.com", "*.example.com"})))
	case 2:
		l.Hostname = nil
	case 3:
		l.Protocol = gatewayv1.TLSProtocolType
	case 4:
		l.TLS.CertificateRefs = []gatewayv1.SecretObjectReference{{Name: "edited"}}
	case 5:
		l.TLS.CertificateRefs = nil
	case 6:
		l.AllowedRoutes = nil
	}
	if admitted(edited.Spec.Listeners) {
		w.in.Gateway = edited
	}
}

// ledger loses or spoils the ledger. Nothing that it says may cost a user a
// listener: no entry for a user's listener is made that could be true.
func (w *world) ledger() {
	w.in.Gateway = w.in.Gateway.DeepCopy()
	annotations := w.in.Gateway.Annotations
	ledger, err := plan.ParseLedger(annotations[plan.LedgerKey])
	if annotations == nil || err != nil {
		return
	}
	if ledger == nil {
		ledger = plan.Ledger{}
	}
	switch w.IntN(6) {
	case 0:
		delete(annotations, plan.LedgerKey)
		return
	case 1:
		annotations[plan.LedgerKey] = pick(w, []string{"{", "null", "[]", `{"http":"infra"}`, `{"http":"infra/a b"}`, "x", "{}"})
		return
	case 2:
		ledger["http"], ledger["user-tls"], ledger["user-01"] = pick(w, entriesOf), pick(w, entriesOf), pick(w, entriesOf)
	case 3:
		for _, name := range slices.Sorted(maps.Keys(ledger)) {
			ledger[name] = pick(w, entriesOf)
		}
	case 4:
		for _, name := range slices.Sorted(maps.Keys(ledger)) {
			entry := ledger[name]
			entry.Hostname = pick(w, []gatewayv1.Hostname{"", "c.com", "b-c.com", "*.example.com"})
			ledger[name] = entry
		}
	case 5:
		ledger["auto-gone-gone-com"] = plan.Entry{Certificate: named("infra", "gone")}
	}
	annotations[plan.LedgerKey] = ledger.String()
}

// refusal has the API server refuse some of what the plan changes.
func (w *world) refusal() {
	w.in.Refused = map[gatewayv1.SectionName]string{}
	for _, c := range plan.For(w.in).Changes {
		if w.IntN(3) == 0 {
			w.in.Refused[c.Listener] = "policy says no"
		}
	}
}

// isUsers tells the listeners that a world's users have made.
func isUsers(l gatewayv1.Listener) bool {
	return l.Name == "http" || strings.HasPrefix(string(l.Name), "user-") ||
		l.TLS != nil && len(l.TLS.CertificateRefs) == 1 && l.TLS.CertificateRefs[0].Name == "users-own"
}

// admitted reports whether the API server takes the listeners.
func admitted(listeners []gatewayv1.Listener) bool {
	names, places := map[gatewayv1.SectionName]bool{}, map[string]bool{}
	for _, l := range listeners {
		place := fmt.Sprint(l.Port, l.Protocol)
		if l.Hostname != nil {
			place += string(*l.Hostname)
		}
		if names[l.Name] || places[place] {
			return false
		}
		names[l.Name], places[place] = true, true
	}
	return true
}
