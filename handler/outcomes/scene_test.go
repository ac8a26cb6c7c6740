package outcomes_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	"go.opentelemetry.io/otel/trace"
	"k8s.io/apimachinery/pkg/types"

	"gateway-cert-operator.io/gateway-cert-handler/handler/outcomes"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

var (
	edge = types.NamespacedName{Namespace: "infra", Name: "edge"}
	shop = types.NamespacedName{Namespace: "infra", Name: "shop"}

	runSpan   = span(1)
	causeSpan = span(2)

	added = plan.Change{
		Action: plan.Added, Listener: "auto-shop-shop-example-com", Hostname: "shop.example.com", Certificate: shop,
	}
	taken = plan.Finding{
		Reason: plan.ReasonHostnameTaken, Certificate: shop, Hostname: "shop.example.com", Message: "another listener has it",
	}

	cause = outcomes.Cause{EventID: "c", Span: causeSpan}
	stamp = outcomes.Stamp{ID: "id", Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
)

func span(id byte) trace.SpanContext {
	return trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID{15: id}, SpanID: trace.SpanID{7: id}, TraceFlags: trace.FlagsSampled,
	})
}

// outcome is that of a run which had nothing to do, but for what mutate says.
func outcome(mutate ...func(*reconcile.Outcome)) reconcile.Outcome {
	o := reconcile.Outcome{Gateway: edge, Verdict: reconcile.Unchanged, Attempts: 1, ResourceVersion: "7", RunSpan: runSpan}
	for _, m := range mutate {
		m(&o)
	}
	return o
}

func patched(o *reconcile.Outcome) {
	o.Verdict, o.Plan.Changes = reconcile.Patched, []plan.Change{added}
}

func rejecting(findings ...plan.Finding) func(*reconcile.Outcome) {
	return func(o *reconcile.Outcome) { o.Plan.Rejections = findings }
}

func failing(verdict reconcile.Verdict, why string) func(*reconcile.Outcome) {
	return func(o *reconcile.Outcome) { o.Verdict, o.Err = verdict, errors.New(why) }
}

func missing(o *reconcile.Outcome) {
	o.Verdict, o.ResourceVersion = reconcile.GatewayMissing, ""
	o.Notes = []plan.Finding{{Reason: plan.ReasonGatewayMissing, Certificate: shop, Message: "there is no Gateway infra/edge"}}
}

func paused(o *reconcile.Outcome) {
	o.Verdict, o.Plan.Paused = reconcile.Paused, true
	o.Plan.Notes = []plan.Finding{{Reason: plan.ReasonPaused, Message: "the Gateway is paused"}}
}

// trying is a dry run that would make these changes.
func trying(changes ...plan.Change) func(*reconcile.Outcome) {
	return func(o *reconcile.Outcome) {
		o.Verdict, o.Plan.DryRun, o.Plan.Changes = reconcile.DryRun, true, changes
		o.Plan.Notes = []plan.Finding{{Reason: plan.ReasonDryRun, Message: "this is a dry run"}}
	}
}

func named(name string) func(*reconcile.Outcome) {
	return func(o *reconcile.Outcome) { o.Gateway.Name = name }
}

// swept is what a sweep says of a Gateway that needs no run.
func swept(o *reconcile.Outcome) { o.Attempts, o.RunSpan = 0, trace.SpanContext{} }

// many are n findings, each as long as its texts may be.
func many(n int) []plan.Finding {
	long := strings.Repeat("é", 1000)
	findings := make([]plan.Finding, n)
	for i := range findings {
		findings[i] = plan.Finding{Reason: plan.ReasonInvalidHostname, Certificate: shop, Hostname: long, Message: long}
	}
	return findings
}

// eventOf is the event of an outcome that must have one.
func eventOf(t *testing.T, o reconcile.Outcome, cause outcomes.Cause) event.Event {
	t.Helper()
	e, tells, err := outcomes.Event(o, cause, stamp)
	if !tells || err != nil {
		t.Fatalf("told of %+v: %v, with error %v", o, tells, err)
	}
	if err := e.Validate(); err != nil {
		t.Fatalf("the event is against the specification: %v", err)
	}
	return e
}

func dataOf(t *testing.T, e event.Event) outcomes.Data {
	t.Helper()
	var data outcomes.Data
	if err := e.DataAs(&data); err != nil {
		t.Fatal(err)
	}
	return data
}
