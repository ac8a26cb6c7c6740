package jaeger_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gateway-cert-operator.io/gateway-cert-handler/config/telemetry"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
	"gateway-cert-operator.io/gateway-cert-handler/test/jaeger"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// patience is how long a trace may take to be found; it takes well under a
// second on a quiet machine.
const patience = 20 * time.Second

// newNamespace makes a namespace with a Gateway edge whose own event is done
// with. So the run for a Certificate that is made next is in the trace of the
// Certificate's event, and not shared with the Gateway's.
func newNamespace(t *testing.T) *namespace.Namespace {
	t.Helper()
	needJaeger(t)
	n := namespace.New(t, system.Config())
	n.CreateGateway("edge", nil)
	find(t, ofGateway(n, "Unchanged"))
	return n
}

// ofGateway is how to look for what was done about Gateway edge.
func ofGateway(n *namespace.Namespace, verdict string) map[string]string {
	return map[string]string{
		"k8s.namespace.name":        n.Name,
		"gateway_cert.gateway.name": "edge",
		"gateway_cert.verdict":      verdict,
	}
}

// ofCertificate is how to look for what became of a Certificate that was made.
func ofCertificate(n *namespace.Namespace, name string) map[string]string {
	return map[string]string{
		"cloudevents.event_subject": "/apis/cert-manager.io/v1/namespaces/" + n.Name + "/certificates/" + name,
		"cloudevents.event_type":    "dev.knative.apiserver.resource.add",
	}
}

func search(tags map[string]string) jaeger.Search {
	return jaeger.Search{Service: telemetry.ServiceName, Tags: tags}
}

// find returns the trace with these tags once its server span is in, which ends
// last.
func find(t *testing.T, tags map[string]string) collector.Trace {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	trace, err := system.jaeger.WaitFor(ctx, search(tags), func(trace collector.Trace) bool {
		_, answered := trace.Find("POST /")
		return answered
	})
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

// outline is the tree of a trace, a name a line. Children are in the order of
// their names: some run side by side.
func outline(trace collector.Trace) string {
	var text strings.Builder
	var write func(spans []collector.Span, indent string)
	write = func(spans []collector.Span, indent string) {
		slices.SortStableFunc(spans, func(a, b collector.Span) int { return strings.Compare(a.Name, b.Name) })
		for _, span := range spans {
			text.WriteString(indent + span.Name + "\n")
			write(trace.Children(span), indent+"  ")
		}
	}
	write(trace.Roots(), "")
	return text.String()
}

func TestTheTraceOfACertificatesEventIsTheWholeTree(t *testing.T) {
	t.Parallel()
	n := newNamespace(t)
	n.CreateCertificate("app", "edge", "app.example.com")
	const want = `POST /
  find gateways
  reconcile gateway
    look up
      GET gateways
      GET namespaces
      LIST certificates
      LIST certificates
    patch
      PATCH gateways
    plan
    report
      GET events
      POST events
`
	if diff := cmp.Diff(want, outline(find(t, ofCertificate(n, "app")))); diff != "" {
		t.Errorf("the tree (-want +got):\n%s", diff)
	}
}

func TestTheTraceOfACertificatesEventTellsHowItEnded(t *testing.T) {
	t.Parallel()
	n := newNamespace(t)
	n.CreateCertificate("app", "edge", "app.example.com")
	trace := find(t, ofCertificate(n, "app"))
	for span, attributes := range map[string]map[string]string{
		"POST /": {"http.response.status_code": "204"},
		"reconcile gateway": {
			"k8s.namespace.name":           n.Name,
			"gateway_cert.gateway.name":    "edge",
			"gateway_cert.verdict":         "Patched",
			"gateway_cert.listeners.added": "1",
		},
	} {
		got, _ := trace.Find(span)
		for key, want := range attributes {
			if got.Attributes[key] != want {
				t.Errorf("%s has %s = %q, want %q", span, key, got.Attributes[key], want)
			}
		}
	}
}

func TestWhatChangedAGatewayIsFoundByTheGatewaysName(t *testing.T) {
	t.Parallel()
	n := newNamespace(t)
	n.CreateCertificate("app", "edge", "app.example.com")
	server, _ := find(t, ofGateway(n, "Patched")).Find("POST /")
	for key, want := range ofCertificate(n, "app") {
		if got := server.Attributes[key]; got != want {
			t.Errorf("%s = %q, want %q", key, got, want)
		}
	}
}

func TestTheTraceSaysWhyAHostnameHasNoListener(t *testing.T) {
	t.Parallel()
	n := newNamespace(t)
	n.CreateCertificate("app", "edge", "app.example.com", "not_a_hostname")
	run, _ := find(t, ofCertificate(n, "app")).Find("reconcile gateway")
	if got, want := run.Attributes["gateway_cert.rejection.reasons"], string(plan.ReasonInvalidHostname); got != want {
		t.Errorf("the reasons are %q, want %q", got, want)
	}
}

func TestASearchForAnotherCertificateFindsNothing(t *testing.T) {
	t.Parallel()
	n := newNamespace(t)
	n.CreateCertificate("app", "edge", "app.example.com")
	find(t, ofCertificate(n, "app"))
	found, err := system.jaeger.Find(t.Context(), search(ofCertificate(n, "another")))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) > 0 {
		t.Errorf("found %d traces, the first is %s", len(found), found[0].ID)
	}
}
