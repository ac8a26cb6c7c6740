package reconcile

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

const (
	listenerX gatewayv1.SectionName = "auto-app-x"
	listenerY gatewayv1.SectionName = "auto-app-y"
)

// complaint is a controller's against a listener of infra/app.
func complaint(listener gatewayv1.SectionName, because string) plan.Finding {
	f := ofApp(plan.ReasonListenerNotAccepted, string(listener)+".com", "it is not Accepted")
	f.Listener, f.Key = listener, string(listener)+" "+because
	return f
}

// said is a run after which the ledger has both listeners, the controller has said
// the complaints and has taken up the others named.
func said(complaints []plan.Finding, serving ...gatewayv1.SectionName) Outcome {
	o := outcomeWith(Unchanged)
	name := ofApp("", "", "").Certificate
	o.Plan = plan.Plan{
		Notes: complaints, Serving: serving,
		Ledger: plan.Ledger{listenerX: {Certificate: name}, listenerY: {Certificate: name}},
	}
	return o
}

func because(why string) []plan.Finding { return []plan.Finding{complaint(listenerX, why)} }

// teller tells people as a run does.
type teller struct {
	quoted quoted
	told   told
}

// tell returns the notes of the Events of a run, and takes note of them.
func (r *teller) tell(o Outcome, changes ...Change) (notes []string) {
	o, over := r.quoted.fresh(o)
	r.told.forget(over)
	for _, event := range r.told.due(eventsOf(o), changes) {
		notes = append(notes, event.Note)
		r.told.tell(event)
		r.quoted.tell(event, o)
	}
	return notes
}

func TestAComplaintIsToldOnceForEachChange(t *testing.T) {
	unseen := said(nil)
	good := said(nil, listenerX, listenerY)
	gone := said(nil)
	delete(gone.Plan.Ledger, listenerX)
	another := said(because("port"))
	another.seen.certificates = outcomeWith(Unchanged).seen.certificates
	reborn := another.seen.certificates[ofApp("", "", "").Certificate]
	reborn.UID = "another"
	another.seen.certificates[ofApp("", "", "").Certificate] = reborn
	unplanned := outcomeWith(TryAgain)
	for _, tc := range []struct {
		name string
		runs []Outcome
		want int
	}{
		{"one run", []Outcome{said(because("port"))}, 1},
		{"three that say the same", []Outcome{said(because("port")), said(because("port")), said(because("port"))}, 1},
		{"another reason", []Outcome{said(because("port")), said(because("value"))}, 2},
		{"and the first again", []Outcome{said(because("port")), said(because("value")), said(because("port"))}, 3},
		{"good again", []Outcome{said(because("port")), good}, 1},
		{"good and bad again", []Outcome{said(because("port")), good, said(because("port"))}, 2},
		{"nothing of the newest state, and then the same", []Outcome{said(because("port")), unseen, said(because("port"))}, 1},
		{"a run that failed in between", []Outcome{said(because("port")), unplanned, said(because("port"))}, 1},
		{"off and on again", []Outcome{said(because("port")), gone, said(because("port"))}, 2},
		{"a Certificate made anew under the name", []Outcome{said(because("port")), another}, 2},
		{"two listeners", []Outcome{said(append(because("port"), complaint(listenerY, "port")))}, 1},
		{"a second listener later", []Outcome{said(because("port")), said(append(because("port"), complaint(listenerY, "port")))}, 2},
		{"of two the first good again", []Outcome{
			said(append(because("port"), complaint(listenerY, "port"))), said([]plan.Finding{complaint(listenerY, "port")}, listenerX),
		}, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var r teller
			got := 0
			for _, o := range tc.runs {
				got += len(r.tell(o))
			}
			if got != tc.want {
				t.Errorf("%d Events, want %d", got, tc.want)
			}
		})
	}
}

// Neither time nor the Certificate's own events make it due again.
func TestAStandingComplaintIsNotRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r teller
		r.tell(said(because("port")))
		time.Sleep(2 * repeatAfter)
		if again := r.tell(said(because("port")), certificateChange(Update, "99", "edge")); len(again) != 0 {
			t.Errorf("told again: %q", again)
		}
	})
}

func TestOnlyWhatIsNewOfTheComplaintsIsTold(t *testing.T) {
	var r teller
	r.tell(said(because("port")))
	got := r.tell(said(append(because("port"), complaint(listenerY, "port"))))
	if len(got) != 1 || got[0] != "auto-app-y.com: it is not Accepted" {
		t.Errorf("told %q, want of %s alone", got, listenerY)
	}
}

func TestWhatIsNoComplaintIsToldAsBefore(t *testing.T) {
	o := said(because("port"))
	o.Plan.Rejections = []plan.Finding{ofApp(plan.ReasonHostnameTaken, "a.com", "taken")}
	var r teller
	for i, want := range []int{2, 1} {
		if got := r.tell(o, certificateChange(Update, "99", "edge")); len(got) != want {
			t.Errorf("run %d: told %q, want %d", i, got, want)
		}
	}
}

func TestAComplaintThatCouldNotBeToldIsStillDue(t *testing.T) {
	var q quoted
	for range 2 {
		if fresh, _ := q.fresh(said(because("port"))); len(fresh.Plan.Notes) != 1 {
			t.Errorf("%d are fresh, want 1", len(fresh.Plan.Notes))
		}
	}
}

func TestTheMemoryOfComplaintsIsBounded(t *testing.T) {
	var q quoted
	for i := range 2*maxQuoted + 1 {
		q.remember(types.UID(strconv.Itoa(i)), listenerX, quote{})
	}
	if len(q.byGateway) > maxQuoted {
		t.Errorf("%d Gateways are remembered, want at most %d", len(q.byGateway), maxQuoted)
	}
}
