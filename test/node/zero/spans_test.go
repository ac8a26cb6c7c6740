package zero

import (
	"context"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
	"gateway-cert-operator.io/gateway-cert-handler/test/node/zero/spans"
)

// writeOf waits for the spans of the first patch of a Gateway.
func writeOf(t *testing.T, namespace, gateway string) spans.Write {
	t.Helper()
	return found(t, "the patch of "+gateway, func(trace collector.Trace) (spans.Write, bool) {
		return spans.WriteOf(trace, namespace, gateway)
	})
}

// eventSpan waits for the handler's span of a Certificate's first event.
func eventSpan(t *testing.T, namespace, certificate string) collector.Span {
	t.Helper()
	return found(t, "the event of "+certificate, func(trace collector.Trace) (collector.Span, bool) {
		return spans.EventOf(trace, namespace, certificate)
	})
}

// found waits until something is found in a trace.
func found[T any](t *testing.T, what string, find func(collector.Trace) (T, bool)) (is T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := node.traces.Wait(ctx, func(trace collector.Trace) (ok bool) {
		is, ok = find(trace)
		return ok
	}); err != nil {
		t.Fatalf("wait for the trace of %s: %v", what, err)
	}
	return is
}
