package e2e

import (
	"context"
	"slices"
	"testing"

	"github.com/cloudevents/sdk-go/v2/event"

	"gateway-cert-operator.io/gateway-cert-handler/config/telemetry"
	"gateway-cert-operator.io/gateway-cert-handler/knative"
	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
)

// waitForTrace returns the trace in which the Gateway of that namespace was
// patched, when all of the handler's spans are in.
func waitForTrace(t *testing.T, namespace string, also func(collector.Trace) bool) collector.Trace {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	trace, err := system.traces.Wait(ctx, func(trace collector.Trace) bool {
		run, ok := trace.Find("reconcile gateway")
		_, answered := trace.Find("POST /")
		return ok && answered && run.Attributes["k8s.namespace.name"] == namespace &&
			run.Attributes["gateway_cert.verdict"] == "Patched" && also(trace)
	})
	must(t, err)
	return trace
}

func TestAReconciliationIsOneTraceUnderTheAdaptersSpan(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.createGateway("edge")
	p.CreateCertificate("app", "edge", "app.example.com")
	trace := waitForTrace(t, p.Name, hasOneRootOfTheAdapter)

	server, _ := trace.Find("POST /")
	sender, ok := trace.Parent(server)
	if !ok || sender.Service == telemetry.ServiceName {
		t.Errorf("the parent of POST / is %+v, want the adapter's request", sender)
	}
	run := onlyChild(t, trace, server, "reconcile gateway")
	onlyChild(t, trace, server, "find gateways")
	lookUp := onlyChild(t, trace, run, "look up")
	onlyChild(t, trace, run, "plan")
	patch := onlyChild(t, trace, run, "patch")
	onlyChild(t, trace, lookUp, "GET gateways")
	if got := len(childrenCalled(trace, lookUp, "LIST certificates")); got != 2 {
		t.Errorf("%d LISTs of Certificates under look up, want 2", got)
	}
	onlyChild(t, trace, patch, "PATCH gateways")

	for key, want := range map[string]string{
		"gateway_cert.gateway.name":    "edge",
		"gateway_cert.attempts":        "1",
		"gateway_cert.listeners.added": "1",
	} {
		if got := run.Attributes[key]; got != want {
			t.Errorf("attribute %s = %q, want %q", key, got, want)
		}
	}
}

// The adapter sends its spans later than the handler does.
func hasOneRootOfTheAdapter(trace collector.Trace) bool {
	roots := trace.Roots()
	return len(roots) == 1 && roots[0].Service != telemetry.ServiceName
}

func TestAReconciliationWithoutAParentIsATraceOfOurOwn(t *testing.T) {
	t.Parallel()
	trace := traceOfADelivery(t, func(*event.Event) {})
	roots := trace.Roots()
	if len(roots) != 1 || roots[0].Name != "POST /" || roots[0].ParentID != "" {
		t.Errorf("roots = %+v, want the server span alone", roots)
	}
}

func TestAReconciliationIsUnderTheParentThatTheEventCarries(t *testing.T) {
	t.Parallel()
	trace := traceOfADelivery(t, func(e *event.Event) {
		e.SetExtension("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	})
	if trace.ID != "0af7651916cd43dd8448eb211c80319c" {
		t.Errorf("trace = %s, want the event's", trace.ID)
	}
}

// traceOfADelivery returns the trace of an event that is sent to the handler
// without an adapter.
func traceOfADelivery(t *testing.T, mutate func(*event.Event)) collector.Trace {
	t.Helper()
	p := newServed(t)
	e := p.certificateEvent("app", knative.ResourceUpdate)
	e.SetID(p.Name)
	mutate(&e)
	deliver(t, e)
	return waitForEvent(t, p.Name)
}

// waitForEvent returns the trace of the event of that id. Repeated tests may put
// several events into one trace.
func waitForEvent(t *testing.T, id string) collector.Trace {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	trace, err := system.traces.Wait(ctx, func(trace collector.Trace) bool {
		return slices.ContainsFunc(trace.Spans, func(span collector.Span) bool {
			return span.Attributes["cloudevents.event_id"] == id
		})
	})
	must(t, err)
	return trace
}

func childrenCalled(trace collector.Trace, parent collector.Span, name string) []collector.Span {
	var called []collector.Span
	for _, child := range trace.Children(parent) {
		if child.Name == name {
			called = append(called, child)
		}
	}
	return called
}

func onlyChild(t *testing.T, trace collector.Trace, parent collector.Span, name string) collector.Span {
	t.Helper()
	children := childrenCalled(trace, parent, name)
	if len(children) != 1 {
		t.Fatalf("%q has %d children called %q, want 1; all: %+v", parent.Name, len(children), name, trace.Children(parent))
	}
	return children[0]
}
