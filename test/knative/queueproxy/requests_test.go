package queueproxy

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"
	"k8s.io/apimachinery/pkg/util/wait"

	events "gateway-cert-operator.io/gateway-cert-handler/knative"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// client keeps no connection, so that what is refused is seen.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: patience}

// answer is what came of an event.
type answer struct {
	status int
	err    error
}

// send sends an event, and returns when it is written to the connection.
func (p *pod) send() <-chan answer {
	p.t.Helper()
	e := event.New()
	e.SetID("1")
	e.SetSource("test")
	e.SetType(events.Ping)
	written := make(chan struct{})
	wrote := sync.OnceFunc(func() { close(written) })
	ctx := httptrace.WithClientTrace(p.t.Context(), &httptrace.ClientTrace{
		WroteRequest: func(httptrace.WroteRequestInfo) { wrote() },
	})
	request, err := cehttp.NewHTTPRequestFromEvent(ctx, p.url, e)
	namespace.Must(p.t, err)
	answered := make(chan answer, 1)
	go func() {
		response, err := client.Do(request)
		if err != nil {
			answered <- answer{err: err}
			return
		}
		answered <- answer{response.StatusCode, response.Body.Close()}
	}()
	select {
	case <-written:
	case <-time.After(patience):
		p.t.Fatal("an event could not be written")
	}
	return answered
}

// expectDone waits for the answer that an event has been dealt with.
func expectDone(t *testing.T, answered <-chan answer) {
	t.Helper()
	select {
	case got := <-answered:
		if got.err != nil || got.status != http.StatusNoContent {
			t.Errorf("an event was answered %d, %v, want 204", got.status, got.err)
		}
	case <-time.After(patience):
		t.Errorf("an event was not answered within %s", patience)
	}
}

// probe asks as the pod's readiness probe says, and as the kubelet does.
func (p *pod) probe(ctx context.Context) (int, error) {
	action := system.template.Spec.Containers[1].ReadinessProbe.HTTPGet
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+action.Path, nil)
	if err != nil {
		return 0, err
	}
	request.Header.Set("User-Agent", "kube-probe/1.36")
	for _, header := range action.HTTPHeaders {
		request.Header.Set(header.Name, header.Value)
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

func (p *pod) awaitProbe(want int) {
	p.t.Helper()
	last := "nothing"
	err := wait.PollUntilContextTimeout(p.t.Context(), pollEach, patience, true, func(ctx context.Context) (bool, error) {
		status, err := p.probe(ctx)
		last = fmt.Sprint(status, " ", err)
		return err == nil && status == want, nil
	})
	if err != nil {
		p.t.Fatalf("after %s the probe was answered %s, want %d", patience, last, want)
	}
}

// awaitInside waits until so many events are with the handler.
func (p *pod) awaitInside(want int) {
	p.t.Helper()
	var inside int
	err := wait.PollUntilContextTimeout(p.t.Context(), pollEach, patience, true, func(context.Context) (bool, error) {
		inside, _ = p.gate.counts()
		return inside >= want, nil
	})
	if err != nil {
		p.t.Fatalf("after %s %d events are with the handler, want %d", patience, inside, want)
	}
}

// listens tells whether queue-proxy takes connections.
func (p *pod) listens() bool {
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.url, "http://"))
	return err == nil && conn.Close() == nil
}

func (p *pod) awaitListening() {
	p.t.Helper()
	namespace.Must(p.t, wait.PollUntilContextTimeout(p.t.Context(), pollEach, patience, true, func(context.Context) (bool, error) {
		return p.listens(), nil
	}))
}
