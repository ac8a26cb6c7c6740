package outcomes_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync/atomic"
	"testing"

	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"

	"gateway-cert-operator.io/gateway-cert-handler/handler/outcomes"
)

func sendingTo(t *testing.T, server *httptest.Server) func(*outcomes.Options) {
	t.Helper()
	sink, err := url.Parse(server.URL + "/infra/default")
	if err != nil {
		t.Fatal(err)
	}
	return func(o *outcomes.Options) { o.Sink, o.Client = sink, server.Client() }
}

func TestAnOutcomeArrivesInBinaryMode(t *testing.T) {
	arrived := make(chan *http.Request, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e, err := cehttp.NewEventFromHTTPRequest(r)
		if err != nil || judge(t, compiled(t), e.Data()) != nil {
			t.Errorf("read the event: %v, data %s", err, e.Data())
		}
		arrived <- r
		w.WriteHeader(http.StatusAccepted)
	}))
	defer server.Close()
	w := newWatched(nil, sendingTo(t, server))
	w.Send(outcome(patched, rejecting(taken)), cause)
	w.finish()
	w.expect(t, map[string]int{"Delivered": 1})
	r := <-arrived
	if r.Method != http.MethodPost || r.URL.Path != "/infra/default" {
		t.Errorf("%s %s, want POST /infra/default", r.Method, r.URL.Path)
	}
	const parent = "00-00000000000000000000000000000001-0000000000000001-01"
	for name, want := range map[string]string{
		"Content-Type":   "application/json",
		"Ce-Type":        "io.gateway-cert-operator.gateway.reconciled",
		"Ce-Source":      "/apis/gateway.networking.k8s.io/v1/namespaces/infra/gateways/edge",
		"Ce-Subject":     "infra/edge",
		"Ce-Causationid": "c",
		// The extension wants both of the first hop to say the same.
		"Ce-Traceparent": parent,
		"Traceparent":    parent,
	} {
		if got := r.Header.Get(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// The client that is given follows redirects, as http.Client does by default.
func TestARedirectIsNotFollowed(t *testing.T) {
	for _, code := range []int{http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		var elsewhere atomic.Int32
		other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL, code) }))
		w := newWatched(nil, sendingTo(t, server))
		w.Send(outcome(patched), cause)
		w.finish()
		server.Close()
		other.Close()
		w.expect(t, map[string]int{"Refused": 1})
		if got := elsewhere.Load(); got != 0 {
			t.Errorf("after %d there were %d requests elsewhere, want none", code, got)
		}
	}
}

func TestTheClientThatIsGivenStaysAsItIs(t *testing.T) {
	client := &http.Client{Transport: &sink{}}
	w := newWatched(nil, func(o *outcomes.Options) { o.Client = client })
	w.finish()
	if client.CheckRedirect != nil {
		t.Error("its owner's other requests follow no redirect now")
	}
}
