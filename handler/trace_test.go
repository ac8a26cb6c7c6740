package handler_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"gateway-cert-operator.io/gateway-cert-handler/handler"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
)

const (
	inHeader = "00-11111111111111111111111111111111-1111111111111111-01"
	inEvent  = "00-22222222222222222222222222222222-2222222222222222-01"
)

// spansOf serves one request and returns the spans that came of it.
func spansOf(t *testing.T, r *recorder, request *http.Request) tracetest.SpanStubs {
	t.Helper()
	exporter := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))
	handler.New(handler.Options{Reconciler: r, Tracing: provider, Logger: slog.New(slog.DiscardHandler)}).ServeHTTP(httptest.NewRecorder(), request)
	return exporter.GetSpans()
}

func TestT04TheServerSpansParent(t *testing.T) {
	for _, tc := range []struct {
		name            string
		header          string
		extension       string
		structured      bool
		trace, ancestor string
	}{
		{name: "is the header's", header: inHeader, trace: "11111111111111111111111111111111", ancestor: "1111111111111111"},
		{name: "is the event's without a header", extension: inEvent, trace: "22222222222222222222222222222222", ancestor: "2222222222222222"},
		{name: "is the event's in structured mode too", extension: inEvent, structured: true, trace: "22222222222222222222222222222222", ancestor: "2222222222222222"},
		{name: "is the header's if both are there", header: inHeader, extension: inEvent, trace: "11111111111111111111111111111111", ancestor: "1111111111111111"},
		{name: "is the event's if the header is garbage", header: "garbage", extension: inEvent, trace: "22222222222222222222222222222222", ancestor: "2222222222222222"},
		{name: "is none if all is garbage", header: "garbage", extension: "garbage", ancestor: "0000000000000000"},
		{name: "is none if nothing is there", ancestor: "0000000000000000"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := baseEvent(t)
			if tc.extension != "" {
				e.SetExtension("traceparent", tc.extension)
			}
			request := binaryRequest(t, e)
			if tc.structured {
				request = structuredRequest(t, e)
			}
			if tc.header != "" {
				request.Header.Set("traceparent", tc.header)
			}
			spans := spansOf(t, &recorder{}, request)
			if len(spans) != 1 {
				t.Fatalf("%d spans, want 1", len(spans))
			}
			if got := spans[0].Parent.SpanID().String(); got != tc.ancestor {
				t.Errorf("parent = %s, want %s", got, tc.ancestor)
			}
			if got := spans[0].SpanContext.TraceID().String(); tc.trace != "" && got != tc.trace {
				t.Errorf("trace = %s, want %s", got, tc.trace)
			}
		})
	}
}

func TestTheServerSpanSaysWhatItWasAbout(t *testing.T) {
	span := spansOf(t, &recorder{}, fixture(t, "certificate-add"))[0]
	if span.SpanKind != trace.SpanKindServer {
		t.Errorf("kind = %v, want server", span.SpanKind)
	}
	got := map[string]string{}
	for _, attribute := range span.Attributes {
		got[string(attribute.Key)] = attribute.Value.String()
	}
	for key, want := range map[string]string{
		"http.request.method":       "POST",
		"http.response.status_code": "204",
		"cloudevents.event_id":      "01eb5329-7545-46fb-bd1e-7a52e0207563",
		"cloudevents.event_type":    "dev.knative.apiserver.resource.add",
	} {
		if got[key] != want {
			t.Errorf("attribute %s = %q, want %q", key, got[key], want)
		}
	}
}

// lateBody takes a second to arrive.
type lateBody struct{ io.Reader }

func (b lateBody) Read(p []byte) (int, error) {
	time.Sleep(time.Second) // in a synctest bubble
	return b.Reader.Read(p)
}

func TestTheServerSpanBeginsWithTheRequestNotWithTheEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		request := structuredRequest(t, baseEvent(t))
		request.Body = io.NopCloser(lateBody{request.Body})
		begin := time.Now()
		if span := spansOf(t, &recorder{}, request)[0]; !span.StartTime.Equal(begin) || !span.EndTime.After(begin) {
			t.Errorf("the span is from %s to %s, want it from %s on", span.StartTime, span.EndTime, begin)
		}
	})
}

func TestABatchIsOneSpanThatCountsItsEvents(t *testing.T) {
	spans := spansOf(t, &recorder{}, batchRequest(t, baseEvent(t), baseEvent(t)))
	if len(spans) != 1 {
		t.Fatalf("%d spans, want 1", len(spans))
	}
	for _, attribute := range spans[0].Attributes {
		if attribute.Key == "gateway_cert.events" && attribute.Value.AsInt64() == 2 {
			return
		}
	}
	t.Errorf("attributes %v, want gateway_cert.events = 2", spans[0].Attributes)
}

// A sender that hangs up must not stop the work that its event asked for.
func TestWorkGoesOnWhenTheSenderHangsUp(t *testing.T) {
	ctx, hangUp := context.WithCancel(context.Background())
	hangUp()
	worked := false
	h := handler.New(handler.Options{Reconciler: handleFunc(func(ctx context.Context) {
		worked = ctx.Err() == nil
	}), Tracing: sdktrace.NewTracerProvider(), Logger: slog.New(slog.DiscardHandler)})
	h.ServeHTTP(httptest.NewRecorder(), structuredRequest(t, baseEvent(t)).WithContext(ctx))
	if !worked {
		t.Error("the work's context had ended with the request's")
	}
}

type handleFunc func(context.Context)

func (f handleFunc) Handle(ctx context.Context, _ reconcile.Change) ([]reconcile.Outcome, error) {
	f(ctx)
	return nil, nil
}
