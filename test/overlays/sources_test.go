package overlays

import (
	"slices"
	"testing"

	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

const quiet = "knative/examples/quiet"

func watched(gateway *gatewayv1.Gateway) {
	gateway.Labels["gateway-cert-operator.io/watched"] = "true"
}

func TestBothKindsArriveThroughTheSingleSource(t *testing.T) {
	if got, want := sources(t), []string{"containersource.sources.knative.dev/gateways"}; !slices.Equal(got, want) {
		t.Fatalf("the sources are %v, want %v", got, want)
	}
	in := namespace.New(t, system.Config())
	served(t, in, "edge", nil) // by the event of the Certificate, which is made after the Gateway
	wipe(t, in, "edge")
	expectServed(t, in, "edge") // by the event of the Gateway
}

func TestQuietSourcesHearOfWatchedGatewaysAlone(t *testing.T) {
	apply(t, quiet)
	in := namespace.New(t, system.Config())
	served(t, in, "plain", nil) // Certificates arrive as ever
	served(t, in, "watched", watched)
	wipe(t, in, "plain")
	wipe(t, in, "watched")
	expectServed(t, in, "watched")
	if isServed(in, "plain") {
		t.Error("a Gateway without the label was seen to change")
	}
	sweep(t)
	expectServed(t, in, "plain")
}

func TestAGatewayIsSeenWhenItIsGivenTheLabel(t *testing.T) {
	apply(t, quiet)
	in := namespace.New(t, system.Config())
	served(t, in, "late", nil)
	wipe(t, in, "late")
	gateway := in.Gateway("late")
	watched(gateway)
	update(t, in, gateway)
	expectServed(t, in, "late")
}
