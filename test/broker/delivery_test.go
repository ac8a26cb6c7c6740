package broker

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"

	"gateway-cert-operator.io/gateway-cert-handler/knative"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

// place is a namespace of a test's own. The tests run one after the other: what
// the handler answers is of the one that runs.
type place struct {
	*namespace.Namespace
	t *testing.T
}

func newPlace(t *testing.T) *place {
	t.Helper()
	if system == nil {
		t.Skip(absent)
	}
	settle(t)
	system.names.forget()
	system.shelf.empty()
	return &place{namespace.New(t, system.Config()), t}
}

// settle waits until the handler has had nothing to answer for a while: after a
// patch comes its echo.
func settle(t *testing.T) {
	t.Helper()
	const quiet = time.Second
	for last, since := len(system.names.answered()), time.Now(); time.Since(since) < quiet; {
		must(t, pause(t.Context()))
		if now := len(system.names.answered()); now != last {
			last, since = now, time.Now()
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	namespace.Must(t, err)
}

// expect waits until the Gateway has listeners of ours for exactly these
// hostnames.
func (p *place) expect(gateway string, want ...string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	for {
		var got []string
		for _, l := range p.Gateway(gateway).Spec.Listeners {
			if l.Name != namespace.UserOwned {
				got = append(got, string(*l.Hostname))
			}
		}
		slices.Sort(got)
		if slices.Equal(got, want) {
			return
		}
		if err := pause(ctx); err != nil {
			p.t.Fatalf("after %s Gateway %s has %v, want %v; the handler answered %v", patience, gateway, got, want, system.names.answered())
		}
	}
}

// awaitAnswer waits until the handler has given this answer so many times.
func (p *place) awaitAnswer(status, times int) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience)
	defer cancel()
	for {
		given := 0
		for _, answer := range system.names.answered() {
			if answer == status {
				given++
			}
		}
		if given >= times {
			return
		}
		if err := pause(ctx); err != nil {
			p.t.Fatalf("after %s the answers are %v, want %d of %d", patience, system.names.answered(), times, status)
		}
	}
}

func (p *place) expectNothingOnTheShelf() {
	p.t.Helper()
	if events, _ := system.shelf.empty(); len(events) > 0 {
		p.t.Errorf("in the dead-letter sink are %d events, the first is\n%s", len(events), events[0])
	}
}

// mayNotPatch takes the handler's rights away, so that it answers 503, until the
// returned function gives them back.
func (p *place) mayNotPatch() (again func()) {
	p.t.Helper()
	const name = "gateway-cert-handler"
	binding, err := system.kubectl(p.t.Context(), "", "get", "clusterrolebinding", name, "-o", `jsonpath={"{\"apiVersion\":\"rbac.authorization.k8s.io/v1\",\"kind\":\"ClusterRoleBinding\",\"metadata\":{\"name\":\"gateway-cert-handler\"},\"roleRef\":"}{.roleRef}{",\"subjects\":"}{.subjects}{"}"}`)
	must(p.t, err)
	_, err = system.kubectl(p.t.Context(), "", "delete", "clusterrolebinding", name)
	must(p.t, err)
	given := false
	again = func() {
		if given {
			return
		}
		given = true
		if _, err := system.kubectl(context.Background(), binding, "create", "-f", "-"); err != nil {
			p.t.Error(err)
		}
	}
	p.t.Cleanup(again)
	return again
}

func TestEventsOfBothSourcesReachTheHandlerThroughTheBroker(t *testing.T) {
	p := newPlace(t)
	p.CreateCertificate("early", "edge", "early.example.com")
	p.awaitAnswer(http.StatusNoContent, 1)
	// Only the Gateway's own event can bring the listener that is missing.
	p.CreateGateway("edge", nil)
	p.expect("edge", "early.example.com")
	p.CreateCertificate("late", "edge", "late.example.com")
	p.expect("edge", "early.example.com", "late.example.com")
	p.expectNothingOnTheShelf()
}

func TestAHandlerThatIsAwayForSomeSecondsMissesNothing(t *testing.T) {
	p := newPlace(t)
	p.CreateGateway("edge", nil)
	p.awaitAnswer(http.StatusNoContent, 1)
	must(t, system.handler.Stop(grace))

	var want []string
	for i := range 5 {
		name := fmt.Sprintf("app-%d", i)
		p.CreateCertificate(name, "edge", name+".example.com")
		want = append(want, name+".example.com")
	}
	// 0.5, 1 and 2 s after the first: longer than a source that sends straight
	// to the handler tries.
	p.awaitAnswer(http.StatusBadGateway, 4)
	must(t, system.startHandler(t.Context()))
	p.expect("edge", want...)
	p.expectNothingOnTheShelf()
}

func TestAnEventThatIsAnswered503IsSentUntilItIsDone(t *testing.T) {
	p := newPlace(t)
	p.CreateGateway("edge", nil)
	p.awaitAnswer(http.StatusNoContent, 1)
	giveBack := p.mayNotPatch()
	p.CreateCertificate("app", "edge", "app.example.com")
	p.awaitAnswer(http.StatusServiceUnavailable, 4)
	giveBack()
	p.expect("edge", "app.example.com")
	p.expectNothingOnTheShelf()
}

// What the handler cannot read it will never read: one try, and it is put aside.
func TestAnEventThatIsRefusedForGoodIsPutAside(t *testing.T) {
	newPlace(t)
	e := event.New()
	e.SetID("refused")
	e.SetSource("test")
	e.SetType(knative.ResourceAdd)
	e.SetExtension(knative.ExtensionAPIVersion, "cert-manager.io/v1")
	e.SetExtension(knative.ExtensionKind, "Certificate")
	must(t, e.SetData(event.ApplicationJSON, []string{"no Certificate"}))
	toBroker(t, e)

	got, path := nextOnTheShelf(t)
	refusals := 0
	for _, answer := range system.names.answered() {
		if answer == http.StatusBadRequest {
			refusals++
		}
	}
	if refusals != 1 {
		t.Errorf("the handler refused it %d times, want once", refusals)
	}
	if got.ID() != e.ID() || !bytes.Equal(got.Data(), e.Data()) {
		t.Errorf("put aside was\n%s\nof\n%s", got, e)
	}
	if code := fmt.Sprint(got.Extensions()["knativeerrorcode"]); code != "400" {
		t.Errorf("it says that the answer was %s", code)
	}
	if want := "/gateway-cert/undelivered"; path != want {
		t.Errorf("it went to %s, want JobSink %s", path, want)
	}
}

// A real event of the adapter's, put aside because something refused it for good,
// is sent again as docs/deploy.md does it with curl: in the form in which a JobSink
// keeps it, to the handler itself.
func TestWhatIsPutAsideCanBeSentAgain(t *testing.T) {
	p := newPlace(t)
	p.CreateGateway("edge", nil)
	p.awaitAnswer(http.StatusNoContent, 1)
	settle(t)
	system.names.refuse(true)
	defer system.names.refuse(false)
	p.CreateCertificate("app", "edge", "app.example.com")
	aside, _ := nextOnTheShelf(t)
	system.names.refuse(false)
	if listeners := p.Gateway("edge").Spec.Listeners; len(listeners) != 1 {
		t.Errorf("the Gateway has %d listeners before, want the user's alone", len(listeners))
	}

	stored, err := aside.MarshalJSON()
	must(t, err)
	response, err := http.Post("http://"+system.address, event.ApplicationCloudEventsJSON, bytes.NewReader(stored))
	must(t, err)
	must(t, response.Body.Close())
	if response.StatusCode != http.StatusNoContent {
		t.Errorf("sent again it was answered %d, want 204", response.StatusCode)
	}
	p.expect("edge", "app.example.com")
}

// With the Broker's own numbers that would take minutes, so this Trigger has
// numbers of its own and the Broker's dead-letter sink. It stays:
// nobody here would remove its Subscription.
const impatient = `
apiVersion: eventing.knative.dev/v1
kind: Trigger
metadata: {name: %[1]s, namespace: gateway-cert, labels: {eventing.knative.dev/broker: gateway-cert}}
spec:
  broker: gateway-cert
  filters: [{exact: {type: %[1]s}}]
  subscriber: {uri: %[2]q}
  delivery:
    retry: 2
    backoffPolicy: exponential
    backoffDelay: PT0.1S
    deadLetterSink: {ref: {apiVersion: sinks.knative.dev/v1alpha1, kind: JobSink, name: undelivered, namespace: gateway-cert}}
`

func TestAnEventThatIsAnswered503ToTheEndIsPutAside(t *testing.T) {
	newPlace(t)
	var tries atomic.Int32
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		tries.Add(1)
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer busy.Close()
	name := fmt.Sprintf("impatient-%d", time.Now().UnixNano()) // the test may run twice
	_, err := system.kubectl(t.Context(), fmt.Sprintf(impatient, name, busy.URL), "create", "-f", "-")
	must(t, err)
	_, err = system.kubectl(t.Context(), "", "-n", stack.Namespace, "wait", "--for=condition=Ready", "--timeout=60s", "trigger/"+name)
	must(t, err)
	// Ready says that the channel knows the Trigger; the dispatcher and the
	// filter learn of it at about the same time.
	time.Sleep(time.Second)

	e := event.New()
	e.SetID(name)
	e.SetSource("test")
	e.SetType(name)
	toBroker(t, e)
	aside, _ := nextOnTheShelf(t)
	if got := tries.Load(); got != 3 {
		t.Errorf("it was tried %d times, want once and two retries", got)
	}
	if code := fmt.Sprint(aside.Extensions()["knativeerrorcode"]); aside.ID() != e.ID() || code != "503" {
		t.Errorf("put aside was %s, which says that the answer was %s", aside.ID(), code)
	}
}

// Knative's webhook has the API server try a JobSink's Job. Here the real one is
// asked.
func TestTheAPIServerTakesTheJobOfTheDeadLetterSink(t *testing.T) {
	newPlace(t)
	job, err := system.kubectl(t.Context(), "", "-n", stack.Namespace, "get", "jobsink", "undelivered", "-o",
		`jsonpath={"{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"metadata\":{\"name\":\"undelivered-1\",\"namespace\":\"gateway-cert\"},\"spec\":"}{.spec.job.spec}{"}"}`)
	must(t, err)
	_, err = system.kubectl(t.Context(), job, "create", "--dry-run=server", "--validate=strict", "-f", "-")
	must(t, err)
}

// toBroker sends an event as a source does.
func toBroker(t *testing.T, e event.Event) {
	t.Helper()
	const broker = "broker-ingress.knative-eventing.svc.cluster.local"
	request, err := cehttp.NewHTTPRequestFromEvent(t.Context(), "http://"+system.names.lead(broker)+"/gateway-cert/gateway-cert", e)
	must(t, err)
	response, err := http.DefaultClient.Do(request)
	must(t, err)
	must(t, response.Body.Close())
	if response.StatusCode != http.StatusAccepted {
		t.Fatalf("the Broker answered %d", response.StatusCode)
	}
}

func nextOnTheShelf(t *testing.T) (event.Event, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	e, path, err := system.shelf.next(ctx)
	if err != nil {
		t.Fatalf("wait for an event in the dead-letter sink: %v; the handler answered %v", err, system.names.answered())
	}
	return e, path
}
