package plan_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/google/go-cmp/cmp"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

func TestWhateverHappensThePlanIsRight(t *testing.T) {
	seen := map[plan.Reason]int{}
	for seed := range uint64(400) {
		live(t, newWorld(seed, 2), seen)
	}
	for _, reason := range []plan.Reason{
		plan.ReasonNoDNSNames, plan.ReasonInvalidHostname, plan.ReasonInvalidPort, plan.ReasonInvalidSecretName, plan.ReasonNamespaceNotAllowed,
		plan.ReasonHostnameNotAllowed, plan.ReasonHostnameTaken, plan.ReasonPortConflict, plan.ReasonTooManyListeners, plan.ReasonCertificateNotReady,
		plan.ReasonLastListenerKept, plan.ReasonMalformedAnnotation, plan.ReasonPublishNotSupported, plan.ReasonMissingReferenceGrant,
		plan.ReasonSharedSecret, plan.ReasonCertManagerOverlap, plan.ReasonFromListener, plan.ReasonLedgerCorrected, plan.ReasonPaused,
		plan.ReasonDryRun,
	} {
		if seen[reason] < 10 {
			t.Errorf("reason %s was given %d times: these worlds do not try it", reason, seen[reason])
		}
	}
}

func TestWhateverTheAPIServerRefusesThePlanIsRight(t *testing.T) {
	seen := map[plan.Reason]int{}
	for seed := range uint64(150) {
		w := newWorld(seed, 3)
		w.refuses = true
		live(t, w, seen)
	}
	if seen[plan.ReasonRefusedByServer] < 10 {
		t.Errorf("%d refusals: these worlds do not try them", seen[plan.ReasonRefusedByServer])
	}
}

// live lets a world take its turns and judges each plan.
func live(t *testing.T, w *world, seen map[plan.Reason]int) {
	t.Helper()
	for turn := range 8 {
		w.turn()
		p := plan.For(w.in)
		for _, f := range append(slices.Clone(p.Rejections), p.Notes...) {
			seen[f.Reason]++
		}
		after := w.in
		after.Gateway, after.Refused = applied(w.in.Gateway, p), nil
		faults := slices.Concat(judge(w.in, p), judgeAgain(after, p), judgeOrder(w, p))
		if len(faults) > 0 {
			t.Fatalf("seed %d, turn %d: %q\nannotations: %q\nchanges: %+v", w.seed, turn, faults, w.in.Gateway.Annotations, p.Changes)
		}
		w.in.Gateway = after.Gateway
	}
}

func judgeAgain(after plan.Input, p plan.Plan) (faults []string) {
	if again := plan.For(after); !again.Unchanged() || !reflect.DeepEqual(again.Listeners, p.Listeners) {
		faults = append(faults, fmt.Sprintf("applied, there is still something to do: %+v, metadata stale: %v, ledger %s after %s", again.Changes, again.MetadataStale, again.Ledger, p.Ledger))
	}
	return faults
}

func judgeOrder(w *world, p plan.Plan) (faults []string) {
	other := w.in
	other.Certificates = slices.Clone(w.in.Certificates)
	w.Shuffle(len(other.Certificates), func(i, j int) {
		other.Certificates[i], other.Certificates[j] = other.Certificates[j], other.Certificates[i]
	})
	if shuffled := plan.For(other); !reflect.DeepEqual(shuffled, p) {
		faults = append(faults, "the order of the Certificates matters: "+cmp.Diff(p, shuffled))
	}
	return faults
}

// judge returns what is wrong with a plan.
func judge(in plan.Input, p plan.Plan) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if p.Paused != isPaused(in) {
		fault("paused: %v", p.Paused)
	}
	if isPaused(in) {
		if !p.Unchanged() || !reflect.DeepEqual(p.Listeners, in.Gateway.Spec.Listeners) {
			fault("it is paused, and something changes")
		}
		return faults
	}
	if p.DryRun != isDryRun(in) {
		fault("dry run: %v", p.DryRun)
	}
	before, after := in.Gateway.Spec.Listeners, p.Listeners
	if len(after) == 0 || len(after) > max(64, len(before)) {
		fault("%d listeners", len(after))
	}
	if !admitted(after) {
		fault("the API server refuses %v", namesOf(after))
	}
	if !reflect.DeepEqual(slices.DeleteFunc(slices.Clone(before), isOthers), slices.DeleteFunc(slices.Clone(after), isOthers)) {
		fault("a user's listener has changed")
	}
	faults = append(faults, judgeChanges(before, after, p.Changes)...)
	faults = append(faults, judgeImpact(before, p)...)
	ours := 0
	for i := range after {
		entry, own := p.Ledger[after[i].Name]
		switch {
		case !own:
			continue
		case isUsers(after[i]):
			fault("the ledger names %s, a user's", after[i].Name)
		case excused(p, after[i].Name):
			continue
		}
		ours++
		if why := unasked(in, p, &after[i], entry); why != "" {
			fault("%s of %s: %s", after[i].Name, entry.Certificate, why)
		}
	}
	if most := mostOfOurs(in); most >= 0 && ours > most {
		fault("%d listeners of ours, and the cap is %d", ours, most)
	}
	return faults
}

func isOthers(l gatewayv1.Listener) bool { return !isUsers(l) }

// excused tells the listeners that stay as they stand although they should not.
func excused(p plan.Plan, name gatewayv1.SectionName) bool {
	return slices.ContainsFunc(p.Rejections, func(f plan.Finding) bool {
		return f.Listener == name && (f.Reason == plan.ReasonLastListenerKept || f.Reason == plan.ReasonRefusedByServer)
	})
}

// judgeChanges compares the plan's account with what it does: what stays keeps
// its order, what is new comes last and by name, and what is not named is as it
// was.
func judgeChanges(before, after []gatewayv1.Listener, changes []plan.Change) (faults []string) {
	told := map[gatewayv1.SectionName]plan.Action{}
	var want, added []gatewayv1.SectionName
	for _, c := range changes {
		told[c.Listener] = c.Action
		if c.Action == plan.Added {
			added = append(added, c.Listener)
		}
	}
	for _, l := range before {
		if told[l.Name] != plan.Removed {
			want = append(want, l.Name)
		}
		if now := listenerNamed(after, l.Name); told[l.Name] == "" && (now == nil || !reflect.DeepEqual(*now, l)) {
			faults = append(faults, fmt.Sprintf("%s has changed and no change says so", l.Name))
		}
	}
	slices.Sort(added)
	if want = append(want, added...); !slices.Equal(want, namesOf(after)) {
		faults = append(faults, fmt.Sprintf("listeners are %v, by the changes they should be %v", namesOf(after), want))
	}
	return faults
}

// unasked returns why a listener of ours should not be there as it is.
func unasked(in plan.Input, p plan.Plan, l *gatewayv1.Listener, entry plan.Entry) string {
	i := slices.IndexFunc(in.Certificates, func(c certmanagerv1.Certificate) bool { return plan.NameOf(&c) == entry.Certificate })
	if i < 0 {
		return "there is no such Certificate"
	}
	c := &in.Certificates[i]
	if _, there := in.Namespaces[c.Namespace]; in.Namespaces != nil && !there || c.DeletionTimestamp != nil {
		return "its Certificate is gone"
	}
	if len(c.OwnerReferences) > 0 && *c.OwnerReferences[0].Controller {
		return "its Certificate came from a listener"
	}
	if l.Hostname == nil || !asksFor(c, string(*l.Hostname)) {
		return "its Certificate does not ask for the hostname"
	}
	if !namespaceAllowed(in, c.Namespace) || !bothAllow(in, c.Namespace, string(*l.Hostname)) {
		return "nobody consented"
	}
	if got, want := routesServed(l, c.Namespace), routesAllowed(in, c); got != want {
		return fmt.Sprintf("it serves routes of %s, want %s", got, want)
	}
	before := listenerNamed(in.Gateway.Spec.Listeners, l.Name)
	if port := portAsked(in, c); port != l.Port && (port != 0 || before == nil || before.Port != l.Port) {
		return fmt.Sprintf("its port is %d, want %d", l.Port, port)
	}
	if l.TLS == nil || len(l.TLS.CertificateRefs) != 1 || string(l.TLS.CertificateRefs[0].Name) != c.Spec.SecretName || l.Protocol != gatewayv1.HTTPSProtocolType {
		return "it is not as its Certificate wants it"
	}
	if rules := in.Defaults.Rules; rules != nil && rules.Judge(plan.Candidate{Hostname: *l.Hostname, Port: l.Port, Certificate: c, Gateway: in.Gateway}).Why != "" {
		return "a rule does not allow it"
	}
	ref := l.TLS.CertificateRefs[0]
	if (ref.Namespace == nil) != (c.Namespace == "infra") || ref.Namespace != nil && string(*ref.Namespace) != c.Namespace {
		return "it refers to another namespace"
	}
	isNew := slices.ContainsFunc(p.Changes, func(change plan.Change) bool {
		return change.Listener == l.Name && change.Action == plan.Added && !change.Restored
	})
	hasBeenReady := len(c.Status.Conditions) > 0 && (c.Status.Revision != nil || c.Status.Conditions[1].Status == "True")
	if isNew && (takesNothingNew(in) || waitsForReady(in) && !hasBeenReady) {
		return "it is new, and nothing new may come"
	}
	return ""
}

func asksFor(c *certmanagerv1.Certificate, hostname string) bool {
	return slices.ContainsFunc(c.Spec.DNSNames, func(dnsName string) bool {
		known, special := hostnamesOf[dnsName]
		return special && known == hostname || !special && dnsName == hostname
	})
}
