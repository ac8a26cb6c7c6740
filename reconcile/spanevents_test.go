package reconcile

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"k8s.io/apimachinery/pkg/types"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// eventsOn returns the events of a span of that outcome.
func eventsOn(t *testing.T, o Outcome) []sdktrace.Event {
	t.Helper()
	spans := tracetest.NewSpanRecorder()
	_, span := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)).Tracer("").Start(t.Context(), "")
	addEvents(span, o)
	span.End()
	return spans.Ended()[0].Events()
}

func textsOf(attributes []attribute.KeyValue) map[string]string {
	texts := map[string]string{}
	for _, a := range attributes {
		texts[string(a.Key)] = a.Value.String()
	}
	return texts
}

func TestAChangeAndARejectionAreEventsOfTheirRun(t *testing.T) {
	events := eventsOn(t, Outcome{Plan: plan.Plan{
		Changes: []plan.Change{{Action: plan.Changed, Listener: "auto-app", Hostname: "app.example.com", Fields: []string{"port", "tls.mode"}}},
		Rejections: []plan.Finding{{
			Reason: plan.ReasonHostnameTaken, Certificate: types.NamespacedName{Namespace: "infra", Name: "app"},
			Hostname: "shop.example.com", Message: "another serves it",
		}},
	}})
	if len(events) != 2 || events[0].Name != "gateway_cert.listener.change" || events[1].Name != "gateway_cert.rejection" {
		t.Fatalf("events = %+v, want a change and a rejection", events)
	}
	if diff := cmp.Diff(map[string]string{
		"gateway_cert.listener.name": "auto-app", "gateway_cert.change.action": "Changed",
		"gateway_cert.change.fields": `["port","tls.mode"]`, "gateway_cert.hostname": "app.example.com",
		"gateway_cert.change.impact": "Disruptive", "gateway_cert.change.impact.reason": "it gets another port, and what it serves now ends",
	}, textsOf(events[0].Attributes)); diff != "" {
		t.Errorf("the change (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{
		"gateway_cert.rejection.reason": "HostnameTaken", "gateway_cert.rejection.message": "another serves it",
		"gateway_cert.hostname": "shop.example.com", "k8s.namespace.name": "infra", "gateway_cert.certificate.name": "app",
	}, textsOf(events[1].Attributes)); diff != "" {
		t.Errorf("the rejection (-want +got):\n%s", diff)
	}
}

func TestARunHasOnlySoManyEventsAndNoneIsPushedOutByAnError(t *testing.T) {
	var o Outcome
	for i := range 500 {
		o.Plan.Changes = append(o.Plan.Changes, plan.Change{Listener: "l"})
		o.Plan.Rejections = append(o.Plan.Rejections, plan.Finding{Hostname: fmt.Sprint(i)})
	}
	if got, room := len(eventsOn(t, o)), sdktrace.NewSpanLimits().EventCountLimit; got != 120 || got >= room {
		t.Errorf("%d events, want 120, fewer than the %d for which the SDK has room", got, room)
	}
}

func TestALongTextIsCutBetweenTwoCharacters(t *testing.T) {
	for _, text := range []string{strings.Repeat("ü", 1000), "x" + strings.Repeat("ü", 1000), strings.Repeat("\xff", 1000), "short", ""} {
		got := bounded(text)
		if len(got) > maxSpanText || !strings.HasPrefix(text, got) || utf8.ValidString(text) && !utf8.ValidString(got) || len(text) <= maxSpanText && got != text {
			t.Errorf("of %d bytes %d are left: %q", len(text), len(got), got)
		}
	}
}
