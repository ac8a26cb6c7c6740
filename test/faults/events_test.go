package faults

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"gateway-cert-operator.io/gateway-cert-handler/knative"
)

// post sends an event to a handler once. Requests of one sender share no
// connection with a process that has been killed since.
func post(ctx context.Context, url string, e event.Event) (status int, err error) {
	request, err := cehttp.NewHTTPRequestFromEvent(ctx, url, e)
	if err != nil {
		return 0, fmt.Errorf("make a request of an event: %w", err)
	}
	request.Close = true
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

// retries and firstPause are the adapter's: some 3.1 s in all.
const (
	retries    = 5
	firstPause = 100 * time.Millisecond
)

// deliver sends an event as the adapter does: again after 503 and where nobody
// answers. It reports whether it was taken in the end.
func deliver(ctx context.Context, url string, e event.Event) bool {
	for try := range retries + 1 {
		status, err := post(ctx, url, e)
		if err == nil && status != http.StatusServiceUnavailable {
			return status == http.StatusNoContent
		}
		select {
		case <-time.After(firstPause << try):
		case <-ctx.Done():
			return false
		}
	}
	return false
}

// sweep has the handler look at everything, once, and returns when it has said
// that all is as it should be. What is not taken is sent again, as by a broker.
func sweep(t testing.TB, url string) {
	t.Helper()
	mustDeliver(t, url, newEvent(knative.Ping))
}

func mustDeliver(t testing.TB, url string, e event.Event) {
	t.Helper()
	if !deliver(t.Context(), url, e) {
		t.Fatalf("the event of type %s was not taken, want 204 within %d retries", e.Type(), retries)
	}
}

func newEvent(eventType string) event.Event {
	e := event.New()
	e.SetID(fmt.Sprint(time.Now().UnixNano()))
	e.SetSource("test")
	e.SetType(eventType)
	return e
}

// certificateEvents and gatewayEvents turn what happens in the namespace into
// events as the adapter does, until ctx ends.
func (s *site) certificateEvents(ctx context.Context) <-chan event.Event {
	s.t.Helper()
	w, err := s.Certificates.Watch(ctx, metav1.ListOptions{})
	must(s.t, err)
	return s.events(ctx, w, "cert-manager.io/v1", "Certificate")
}

func (s *site) gatewayEvents(ctx context.Context) <-chan event.Event {
	s.t.Helper()
	w, err := s.Gateways.Watch(ctx, metav1.ListOptions{})
	must(s.t, err)
	return s.events(ctx, w, "gateway.networking.k8s.io/v1", "Gateway")
}

func (s *site) events(ctx context.Context, w watch.Interface, apiVersion, kind string) <-chan event.Event {
	events := make(chan event.Event)
	go func() {
		defer close(events)
		defer w.Stop()
		for seen := range w.ResultChan() {
			e, err := eventOf(seen, apiVersion, kind)
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				s.t.Errorf("the watch of %ss: %v", kind, err)
				return
			}
			select {
			case events <- e:
			case <-ctx.Done():
				return
			}
		}
	}()
	return events
}

func eventOf(seen watch.Event, apiVersion, kind string) (event.Event, error) {
	if seen.Type == watch.Error {
		return event.Event{}, apierrors.FromObject(seen.Object)
	}
	object, err := meta.Accessor(seen.Object)
	if err != nil {
		return event.Event{}, err
	}
	e := newEvent(map[watch.EventType]string{
		watch.Added: knative.ResourceAdd, watch.Modified: knative.ResourceUpdate, watch.Deleted: knative.ResourceDelete,
	}[seen.Type])
	e.SetExtension(knative.ExtensionAPIVersion, apiVersion)
	e.SetExtension(knative.ExtensionKind, kind)
	e.SetExtension(knative.ExtensionNamespace, object.GetNamespace())
	e.SetExtension(knative.ExtensionName, object.GetName())
	return e, e.SetData(event.ApplicationJSON, seen.Object)
}
