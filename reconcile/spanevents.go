package reconcile

import (
	"strings"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/truncate"
)

// Names of the span events of a run, and their attributes.
const (
	changeEvent    = "gateway_cert.listener.change"
	rejectionEvent = "gateway_cert.rejection"

	listenerName    = attribute.Key("gateway_cert.listener.name")
	changeImpact    = attribute.Key("gateway_cert.change.impact")
	changeReason    = attribute.Key("gateway_cert.change.impact.reason")
	changeFields    = attribute.Key("gateway_cert.change.fields")
	certificateName = attribute.Key("gateway_cert.certificate.name")
	hostnameKey     = attribute.Key("gateway_cert.hostname")
	messageKey      = attribute.Key("gateway_cert.rejection.message")
)

// addEvents says on the run's span what changed, or would in a dry run, and what was left out, the first
// of each; how many there are its attributes say. A span that nobody records
// costs nothing.
func addEvents(span trace.Span, o Outcome) {
	if !span.IsRecording() {
		return
	}
	for _, change := range o.Plan.Changes[:min(len(o.Plan.Changes), maxSpanEvents)] {
		span.AddEvent(changeEvent, trace.WithAttributes(changeAttributes(change)...))
	}
	for _, f := range o.Plan.Rejections[:min(len(o.Plan.Rejections), maxSpanEvents)] {
		span.AddEvent(rejectionEvent, trace.WithAttributes(rejectionAttributes(f)...))
	}
}

func changeAttributes(change plan.Change) []attribute.KeyValue {
	impact, why := change.Impact()
	return []attribute.KeyValue{
		changeImpact.String(string(impact)),
		changeReason.String(bounded(why)),
		listenerName.String(string(change.Listener)),
		actionKey.String(string(change.Action)),
		changeFields.StringSlice(change.Fields),
		hostnameKey.String(bounded(string(change.Hostname))),
	}
}

func rejectionAttributes(f plan.Finding) []attribute.KeyValue {
	attributes := []attribute.KeyValue{
		reasonKey.String(string(f.Reason)),
		hostnameKey.String(bounded(f.Hostname)),
		messageKey.String(bounded(f.Message)),
	}
	if f.Certificate.Name != "" {
		attributes = append(attributes, semconv.K8SNamespaceName(f.Certificate.Namespace), certificateName.String(f.Certificate.Name))
	}
	return attributes
}

// bounded cuts a text that others have written. The span does not keep all of it.
func bounded(text string) string { return strings.Clone(truncate.Prefix(text, maxSpanText)) }
