package spans

import (
	"slices"
	"strings"

	"gateway-cert-operator.io/gateway-cert-handler/knative"
	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
)

// EventOf returns the handler's span of the event that told of a new Certificate.
func EventOf(trace collector.Trace, namespace, certificate string) (collector.Span, bool) {
	at := slices.IndexFunc(trace.Spans, func(s collector.Span) bool {
		return strings.HasSuffix(s.Attributes["cloudevents.event_subject"], "/"+namespace+"/certificates/"+certificate) &&
			s.Attributes["cloudevents.event_type"] == knative.ResourceAdd
	})
	if at < 0 {
		return collector.Span{}, false
	}
	return trace.Spans[at], true
}
