package spans

import (
	"slices"
	"strings"

	"gateway-cert-operator.io/gateway-cert-handler/knative"
	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
)

// EventsIn counts the events about Certificates of a namespace that the handler has
// had, each once however often it was sent.
func EventsIn(all []collector.Span, namespace string) int {
	had := map[string]struct{}{}
	for _, s := range all {
		if strings.Contains(s.Attributes["cloudevents.event_subject"], "/namespaces/"+namespace+"/certificates/") {
			had[s.Attributes["cloudevents.event_id"]] = struct{}{}
		}
	}
	return len(had)
}

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
