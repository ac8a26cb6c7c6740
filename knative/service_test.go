package knative_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	sourcesv1 "knative.dev/eventing/pkg/apis/sources/v1"
	"knative.dev/networking/pkg/apis/networking"
	duckv1 "knative.dev/pkg/apis/duck/v1"
	"knative.dev/serving/pkg/apis/autoscaling"
	"knative.dev/serving/pkg/apis/serving"
	servingv1 "knative.dev/serving/pkg/apis/serving/v1"

	"gateway-cert-operator.io/gateway-cert-handler/config/telemetry"
	"gateway-cert-operator.io/gateway-cert-handler/handler"
	"gateway-cert-operator.io/gateway-cert-handler/handler/outcomes"
)

func handlerService(t testing.TB) *servingv1.Service {
	t.Helper()
	return decoded[servingv1.Service](t, named(t, buildOnDisk(t, base), "Service", "gateway-cert-handler"))
}

func TestTheHandlerIsReachableInTheClusterOnly(t *testing.T) {
	if got := handlerService(t).Labels[networking.VisibilityLabelKey]; got != serving.VisibilityClusterLocal {
		t.Errorf("visibility is %q", got)
	}
}

func TestTheHandlerScalesToZero(t *testing.T) {
	template := handlerService(t).Spec.Template
	if got := template.Annotations[autoscaling.MinScaleAnnotationKey]; got != "0" {
		t.Errorf("min-scale is %q", got)
	}
}

// requestTimeout is what Knative gives a request to the handler.
func requestTimeout(t testing.TB) time.Duration {
	t.Helper()
	return time.Duration(*handlerService(t).Spec.Template.Spec.ResponseStartTimeoutSeconds) * time.Second
}

// A stopping handler waits for requests as long as they may take.
func TestTimeoutsGrowFromTheHandlerOutwards(t *testing.T) {
	service := requestTimeout(t)
	if service <= handler.DrainTimeout {
		t.Errorf("Knative gives up after %s, a request may take %s", service, handler.DrainTimeout)
	}
	adapter := time.Duration(number(t, gatewayAdapter(t).env(t, "K_SINK_TIMEOUT"))) * time.Second
	if adapter <= service {
		t.Errorf("the adapter gives up after %s, Knative after %s", adapter, service)
	}
}

// The sum in the comment of handler-service.yaml.
func TestAPodHasTheTimeThatItTakesToStop(t *testing.T) {
	const preStop = 30 * time.Second // Knative: queue/sharedmain, drainSleepDuration
	takes := preStop + handler.DrainTimeout + outcomes.CloseTimeout + telemetry.ShutdownTimeout
	if want := 89 * time.Second; takes != want {
		t.Errorf("to stop takes %s, the comment says %s", takes, want)
	}
	// Knative: reconciler/revision/resources, BuildPodSpec.
	if has := time.Duration(*handlerService(t).Spec.Template.Spec.TimeoutSeconds) * time.Second; has < takes {
		t.Errorf("a pod has %s to stop, which takes %s", has, takes)
	}
}

// The handler turns away what is over 100 (handler, maxInFlight); Knative is to
// hold a storm back before that.
func TestTheHandlerTakesAllThatKnativeLetsThrough(t *testing.T) {
	const inFlight = 100
	if got := *handlerService(t).Spec.Template.Spec.ContainerConcurrency; got <= 0 || got > inFlight {
		t.Errorf("containerConcurrency is %d, want one of 1 to %d", got, inFlight)
	}
}

func TestTheCollectorKnowsTheMemoryLimit(t *testing.T) {
	container := handlerService(t).Spec.Template.Spec.Containers[0]
	value := environment(container)["GOMEMLIMIT"]
	// Go writes MiB where Kubernetes writes Mi.
	soft, err := resource.ParseQuantity(strings.TrimSuffix(value, "B"))
	if err != nil {
		t.Fatalf("read GOMEMLIMIT %q: %v", value, err)
	}
	hard := container.Resources.Limits.Memory().Value()
	if share := float64(soft.Value()) / float64(hard); share < 0.85 || share > 0.95 {
		t.Errorf("GOMEMLIMIT %s is %.2f of the limit", value, share)
	}
}

// A list that is there can be added to by any number of patches.
func TestTheHandlerHasAnEnvironmentToAddTo(t *testing.T) {
	if len(handlerService(t).Spec.Template.Spec.Containers[0].Env) == 0 {
		t.Error("the base sets nothing")
	}
}

func TestEverySourceSendsToTheHandler(t *testing.T) {
	objects := buildOnDisk(t, base)
	sinks := map[string]duckv1.Destination{}
	for _, object := range objects {
		switch kind := object.GetKind(); kind {
		case "ApiServerSource":
			sinks[kind] = decoded[sourcesv1.ApiServerSource](t, object).Spec.Sink
		case "ContainerSource":
			sinks[kind] = decoded[sourcesv1.ContainerSource](t, object).Spec.Sink
		case "PingSource":
			sinks[kind] = decoded[sourcesv1.PingSource](t, object).Spec.Sink
		}
	}
	if len(sinks) != 3 {
		t.Fatalf("sources: %v, want one of each kind", sinks)
	}
	service := named(t, objects, "Service", "gateway-cert-handler")
	for kind, sink := range sinks {
		// No namespace: the source's own is meant, whatever an overlay calls it.
		want := duckv1.KReference{APIVersion: service.GetAPIVersion(), Kind: service.GetKind(), Name: service.GetName()}
		if sink.Ref == nil || *sink.Ref != want {
			t.Errorf("%s sends to %+v, want %+v", kind, sink.Ref, want)
		}
	}
}

func environment(container corev1.Container) map[string]string {
	values := map[string]string{}
	for _, variable := range container.Env {
		values[variable.Name] = variable.Value
	}
	return values
}
