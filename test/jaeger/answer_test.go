package jaeger

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"

	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
)

// answered is what Jaeger 2.13 answers for a trace of two spans, the later one
// first, with all that is read in it.
const answered = `{"data": [{
  "traceID": "d065eb75110488348b74d43596871dd5",
  "spans": [
    {"traceID": "d065eb75110488348b74d43596871dd5", "spanID": "e9d72619e103cedf", "operationName": "reconcile gateway",
     "references": [
       {"refType": "CHILD_OF", "traceID": "d065eb75110488348b74d43596871dd5", "spanID": "eccdddd598b188e2"},
       {"refType": "FOLLOWS_FROM", "traceID": "5ad6f4d8720f7aaa60ed5a66ba546359", "spanID": "0000000000000001"}
     ],
     "startTime": 1796008769355987, "duration": 39217,
     "tags": [
       {"key": "gateway_cert.listeners.added", "type": "int64", "value": 20000000},
       {"key": "gateway_cert.rejection.reasons", "type": "string", "value": "[\"HostnameTaken\",\"InvalidHostname\"]"},
       {"key": "gateway_cert.verdict", "type": "string", "value": "TryAgain"},
       {"key": "otel.status_code", "type": "string", "value": "ERROR"},
       {"key": "error", "type": "bool", "value": true},
       {"key": "span.kind", "type": "string", "value": "internal"}
     ],
     "logs": [{"timestamp": 1796008769356000, "fields": [
       {"key": "event", "type": "string", "value": "exception"},
       {"key": "exception.message", "type": "string", "value": "no"}
     ]}], "processID": "p1", "warnings": null},
    {"traceID": "d065eb75110488348b74d43596871dd5", "spanID": "eccdddd598b188e2", "operationName": "POST /",
     "references": [], "startTime": 1796008769249263, "duration": 146104,
     "tags": [{"key": "span.kind", "type": "string", "value": "server"}],
     "logs": [], "processID": "p1", "warnings": null}
  ],
  "processes": {"p1": {"serviceName": "gateway-cert-handler", "tags": []}},
  "warnings": null
}], "total": 0, "limit": 0, "offset": 0, "errors": null}`

func TestAnAnswerIsReadInTheCollectorsTerms(t *testing.T) {
	const id = "d065eb75110488348b74d43596871dd5"
	want := []collector.Trace{{ID: id, Spans: []collector.Span{
		{
			TraceID: id, ID: "eccdddd598b188e2", Service: "gateway-cert-handler", Name: "POST /",
			Kind:       tracev1.Span_SPAN_KIND_SERVER,
			Start:      time.UnixMicro(1796008769249263),
			End:        time.UnixMicro(1796008769395367),
			Attributes: map[string]string{"span.kind": "server"},
		},
		{
			TraceID: id, ID: "e9d72619e103cedf", ParentID: "eccdddd598b188e2", Service: "gateway-cert-handler", Name: "reconcile gateway",
			Kind:  tracev1.Span_SPAN_KIND_INTERNAL,
			Start: time.UnixMicro(1796008769355987),
			End:   time.UnixMicro(1796008769395204),
			Attributes: map[string]string{
				"gateway_cert.listeners.added":   "20000000",
				"gateway_cert.rejection.reasons": "HostnameTaken,InvalidHostname",
				"gateway_cert.verdict":           "TryAgain",
				"otel.status_code":               "ERROR",
				"error":                          "true",
				"span.kind":                      "internal",
			},
			Failed: true,
			Events: []string{"exception"},
		},
	}}}
	var a answer
	if err := json.Unmarshal([]byte(answered), &a); err != nil {
		t.Fatal(err)
	}
	got, err := a.traces()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("traces (-want +got):\n%s", diff)
	}
}

func TestAnErrorInAnAnswerIsAnError(t *testing.T) {
	var a answer
	if err := json.Unmarshal([]byte(`{"data":[],"errors":[{"code":500,"msg":"storage is gone"}]}`), &a); err != nil {
		t.Fatal(err)
	}
	if _, err := a.traces(); err == nil || !strings.Contains(err.Error(), "storage is gone") {
		t.Errorf("the error is %v", err)
	}
}
