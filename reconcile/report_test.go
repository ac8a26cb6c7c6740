package reconcile

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/trace/noop"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// outcomeWith is one of a run for infra/edge that has seen Certificate infra/app.
func outcomeWith(verdict Verdict, findings ...plan.Finding) Outcome {
	gateway := &corev1.ObjectReference{Kind: "Gateway", Namespace: "infra", Name: "edge", UID: "g"}
	certificate := corev1.ObjectReference{Kind: "Certificate", Namespace: "infra", Name: "app", UID: "c"}
	return Outcome{
		Verdict: verdict, Notes: findings,
		seen: objects{gateway, map[types.NamespacedName]corev1.ObjectReference{{Namespace: "infra", Name: "app"}: certificate}},
	}
}

func ofApp(reason plan.Reason, hostname, message string) plan.Finding {
	return plan.Finding{Reason: reason, Certificate: types.NamespacedName{Namespace: "infra", Name: "app"}, Hostname: hostname, Message: message}
}

// summary gives each event as "kind type reason: note".
func summary(events []cluster.Event) []string {
	var lines []string
	for _, e := range events {
		lines = append(lines, fmt.Sprintf("%s %s %s: %s", e.Regarding.Kind, e.Type, e.Reason, e.Note))
	}
	return lines
}

func TestWhoIsToldWhat(t *testing.T) {
	for _, tc := range []struct {
		name    string
		outcome Outcome
		want    []string
	}{
		{"nothing found", outcomeWith(Patched), nil},
		{
			"the Certificate's owner",
			outcomeWith(Patched, ofApp(plan.ReasonHostnameTaken, "a.com", "taken")),
			[]string{"Certificate Warning HostnameTaken: a.com: taken"},
		},
		{
			"the Gateway's owner",
			outcomeWith(Unchanged, plan.Finding{Reason: plan.ReasonMalformedAnnotation, Message: "x is y"}),
			[]string{"Gateway Warning MalformedAnnotation: x is y"},
		},
		{
			"the Certificate's owner alone of his own annotation",
			outcomeWith(Unchanged, ofApp(plan.ReasonMalformedAnnotation, "", "x is y")),
			[]string{"Certificate Warning MalformedAnnotation: x is y"},
		},
		{
			"both, each hostname named",
			outcomeWith(Unchanged, ofApp(plan.ReasonTooManyListeners, "a.com", "full"), ofApp(plan.ReasonTooManyListeners, "b.com", "full")),
			[]string{
				"Certificate Warning TooManyListeners: a.com, b.com: full",
				"Gateway Warning TooManyListeners: infra/app a.com, infra/app b.com: full",
			},
		},
		{
			"once for each reason",
			outcomeWith(Unchanged, ofApp(plan.ReasonInvalidHostname, "a", "a is bad"), ofApp(plan.ReasonInvalidHostname, "b", "b is bad"), ofApp(plan.ReasonInvalidPort, "", "no port")),
			[]string{"Certificate Warning InvalidHostname: a is bad; b is bad", "Certificate Warning InvalidPort: no port"},
		},
		{"news only of a run that wrote", outcomeWith(Unchanged, ofApp(plan.ReasonSharedSecret, "", "shared")), nil},
		{
			"news of a run that wrote",
			outcomeWith(Patched, ofApp(plan.ReasonSharedSecret, "", "shared")),
			[]string{"Certificate Normal SharedSecret: shared"},
		},
		{"nobody of what is nobody's concern", outcomeWith(Patched, ofApp(plan.ReasonFromListener, "", "from")), nil},
		{"nobody of a Certificate that is gone", outcomeWith(Patched, plan.Finding{
			Reason: plan.ReasonHostnameTaken, Certificate: types.NamespacedName{Namespace: "infra", Name: "gone"},
		}), nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := gocmp.Diff(tc.want, summary(eventsOf(tc.outcome))); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSevenHostnamesLeftOutFitIntoOneNote(t *testing.T) {
	var findings []plan.Finding
	for i := range 7 {
		findings = append(findings, ofApp(plan.ReasonTooManyListeners, fmt.Sprintf("h%d.%s.example.com", i, strings.Repeat("a", 63)), "a Gateway carries at most 64 listeners"))
	}
	for _, e := range eventsOf(outcomeWith(Patched, findings...)) {
		if len(e.Note) > 1024 || strings.Count(e.Note, ".example.com") != 7 {
			t.Errorf("%s: the note is %d bytes long and names %d hostnames", e.Regarding.Kind, len(e.Note), strings.Count(e.Note, ".example.com"))
		}
	}
}

func TestOneCauseInOtherWordsIsOneEvent(t *testing.T) {
	inWords := func(words string) cluster.Event {
		f := ofApp(plan.ReasonRefusedByServer, "a.com", words)
		f.Key = "listener and digest"
		return eventsOf(outcomeWith(Patched, f))[0]
	}
	if first, second := inWords("denied by policy"), inWords("refused before"); first.Key == "" || first.Key != second.Key {
		t.Errorf("keys %q and %q, want one", first.Key, second.Key)
	}
	if e := eventsOf(outcomeWith(Patched, ofApp(plan.ReasonHostnameTaken, "a.com", "taken")))[0]; e.Key != "" {
		t.Errorf("key = %q, want the note to tell", e.Key)
	}
}

func TestEveryReasonOfAnEventIsOneThatCanBeFound(t *testing.T) {
	for reason, to := range audiences {
		if to.eventType == "" || !to.certificate && !to.gateway {
			t.Errorf("audience of %s is %+v: nobody, or of no type", reason, to)
		}
	}
}

func TestWhatIsToldAgain(t *testing.T) {
	about := Change{Kind: Certificate, Object: &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "infra", Name: "app"}}}
	other := Change{Kind: Certificate, Object: &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "infra", Name: "other"}}}
	gateway := Change{Kind: Gateway, Object: &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "infra", Name: "edge"}}}
	taken := func() []cluster.Event {
		return eventsOf(outcomeWith(Unchanged, ofApp(plan.ReasonHostnameTaken, "a.com", "taken")))
	}
	free := func() []cluster.Event {
		return eventsOf(outcomeWith(Unchanged, ofApp(plan.ReasonHostnameTaken, "a.com", "other")))
	}
	full := func() []cluster.Event {
		return eventsOf(outcomeWith(Unchanged, plan.Finding{Reason: plan.ReasonMalformedAnnotation, Message: "x is y"}))
	}
	for _, tc := range []struct {
		name          string
		first, second []cluster.Event
		change        Change
		after         time.Duration
		want          int
	}{
		{"by a change of the Certificate itself", taken(), taken(), about, 0, 1},
		{"not by a change of another", taken(), taken(), other, 0, 0},
		{"not by a sweep", taken(), taken(), Change{Kind: Everything}, 0, 0},
		{"by the sweep after ten minutes", taken(), taken(), Change{Kind: Everything}, repeatAfter + time.Second, 1},
		{"by whatever when it is something else", taken(), free(), other, 0, 1},
		{"not about a Gateway by its status writes", full(), full(), gateway, 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told told
				first := told.due(tc.first, []Change{other})
				if len(first) != 1 {
					t.Fatalf("the first time %d are due, want 1", len(first))
				}
				told.tell(first[0])
				time.Sleep(tc.after)
				if got := len(told.due(tc.second, []Change{tc.change})); got != tc.want {
					t.Errorf("%d are due, want %d", got, tc.want)
				}
			})
		})
	}
}

func TestWhatCouldNotBeToldIsStillDue(t *testing.T) {
	var told told
	events := eventsOf(outcomeWith(Unchanged, ofApp(plan.ReasonHostnameTaken, "a.com", "taken")))
	for range 2 {
		if got := len(told.due(events, nil)); got != 1 {
			t.Errorf("%d are due, want 1", got)
		}
	}
}

func TestARunTellsSoMuchAndTheNextTheRest(t *testing.T) {
	var events []cluster.Event
	for i := range maxReports + 10 {
		events = append(events, cluster.Event{Regarding: corev1.ObjectReference{UID: types.UID(fmt.Sprint(i))}})
	}
	var told told
	for _, want := range []int{maxReports, 10, 0} {
		due := told.due(events, nil)
		if len(due) != want {
			t.Fatalf("%d are due, want %d", len(due), want)
		}
		for _, event := range due {
			told.tell(event)
		}
	}
}

func TestATenantFillsNobodysNamespaceWithEvents(t *testing.T) {
	keys := map[string]bool{}
	for i := range 20 {
		for _, e := range eventsOf(outcomeWith(Unchanged, ofApp(plan.ReasonTooManyListeners, fmt.Sprintf("h%d.com", i), "full"))) {
			if e.Regarding.Kind == "Gateway" {
				keys[cmp.Or(e.Key, e.Note)] = true
			}
		}
	}
	if len(keys) != 1 {
		t.Errorf("%d Events about the Gateway, want 1", len(keys))
	}
}

// What a controller says early is most likely taken back before the next sweep.
func TestWhatIsSaidEarlyIsToldBySweepsAlone(t *testing.T) {
	early := ofApp(plan.ReasonListenerRefsNotResolved, "a.com", "no Secret")
	early.Listener, early.Key, early.Early = "auto-app-a-com", "k", true
	for _, tc := range []struct {
		name    string
		swept   bool
		changes []Change
		want    int
	}{
		{"the Certificate has changed", false, []Change{{Kind: Certificate, Object: &metav1.PartialObjectMetadata{}}}, 0},
		{"a sweep has found the Gateway right", true, nil, 1},
		{"a sweep had a run made", false, []Change{{Kind: Everything}}, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := outcomeWith(Unchanged)
			o.Plan.Notes, o.swept = []plan.Finding{early}, tc.swept
			api := &recording{}
			r := New(Options{Cluster: api, Tracing: noop.NewTracerProvider()})
			if err := r.report(t.Context(), o, tc.changes); err != nil || len(api.events) != tc.want {
				t.Errorf("Events are %v, %v; want %d", summary(api.events), err, tc.want)
			}
			if len(o.Findings()) != 1 {
				t.Error("it is gone from the outcome too")
			}
		})
	}
}

// recording is a cluster that only takes Events.
type recording struct {
	Cluster
	events []cluster.Event
}

func (r *recording) Record(_ context.Context, event cluster.Event) error {
	r.events = append(r.events, event)
	return nil
}
