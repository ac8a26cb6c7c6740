package outcomes_test

import (
	"slices"
	"testing"
	"testing/synctest"

	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"gateway-cert-operator.io/gateway-cert-handler/handler/outcomes"
)

func TestADeliveryIsASpanOfTheRunsTrace(t *testing.T) {
	for name, tc := range map[string]struct {
		answers []int
		status  codes.Code
		want    map[string]int64
	}{
		"that arrives":        {[]int{503, 202}, codes.Unset, map[string]int64{"http.request.resend_count": 1, "http.response.status_code": 202}},
		"that is refused":     {[]int{400}, codes.Error, map[string]int64{"http.request.resend_count": 0, "http.response.status_code": 400}},
		"that nobody answers": {[]int{0}, codes.Error, map[string]int64{"http.request.resend_count": 5}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				spans := tracetest.NewInMemoryExporter()
				w := newWatched(&sink{answer: answers(tc.answers...)}, func(o *outcomes.Options) {
					o.Tracing = sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))
				})
				w.Send(outcome(patched), cause)
				w.finish()
				all := spans.GetSpans()
				if len(all) != 1 || all[0].Name != "send outcome" || all[0].Status.Code != tc.status {
					t.Fatalf("spans are %+v, want one called send outcome with status %s", all, tc.status)
				}
				if parent := all[0].Parent; parent.TraceID() != runSpan.TraceID() || parent.SpanID() != runSpan.SpanID() {
					t.Errorf("its parent is %s of trace %s, want the run's", parent.SpanID(), parent.TraceID())
				}
				got := map[string]int64{}
				for _, a := range all[0].Attributes {
					if a.Key == "http.request.resend_count" || a.Key == "http.response.status_code" {
						got[string(a.Key)] = a.Value.AsInt64()
					}
				}
				for key, want := range tc.want {
					if value, there := got[key]; !there || value != want {
						t.Errorf("attribute %s = %d, want %d", key, value, want)
					}
				}
				if len(got) != len(tc.want) {
					t.Errorf("attributes are %v, want %v", got, tc.want)
				}
			})
		})
	}
}

// Whoever sends telemetry on when nothing goes on any more has the span then.
func TestADeliveryIsWorkUntilItsSpanHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		spans := tracetest.NewInMemoryExporter()
		var begun, ended []int // how many requests there were, and how many spans
		s := &sink{answer: answers(503, 202)}
		w := newWatched(s, func(o *outcomes.Options) {
			o.Tracing = sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))
			o.Work = func() func() {
				begun = append(begun, len(s.got()))
				return func() { ended = append(ended, len(spans.GetSpans())) }
			}
		})
		w.Send(outcome(patched), cause)
		w.finish()
		if !slices.Equal(begun, []int{0}) || !slices.Equal(ended, []int{1}) {
			t.Errorf("work began after %v requests and ended after %v spans, want once, before the first and after the only one", begun, ended)
		}
	})
}
