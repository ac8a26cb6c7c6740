package knative_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"knative.dev/eventing/pkg/adapter/v2"
	"knative.dev/eventing/pkg/observability"
	"knative.dev/pkg/observability/metrics"
	"knative.dev/pkg/observability/tracing"
	"sigs.k8s.io/json"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

const (
	observabilityExample   = "examples/observability"
	observabilityComponent = "components/observability"

	// collectorName is the ConfigMap that an overlay makes for the component.
	collectorName = "gateway-cert-collector"
	collector     = "http://otel-collector.observability.svc:4318"

	endpointVariable = "OTEL_EXPORTER_OTLP_ENDPOINT"
)

// patchedBefore is an overlay at /above with the component, over one that patches the
// handler.
func patchedBefore(t testing.TB, operation string) filesys.FileSystem {
	t.Helper()
	files := overlayOf(t)
	copyFiles(t, files, observabilityComponent)
	for path, text := range map[string]string{
		"/overlay/kustomization.yaml": "resources: [../base]\npatches:\n- target: {kind: Service, name: gateway-cert-handler}\n  patch: |-\n    " + operation + "\n",
		"/above/kustomization.yaml": "resources: [../overlay]\ncomponents: [../" + observabilityComponent + "]\n" +
			"configMapGenerator:\n- {name: " + collectorName + ", literals: [\"endpoint=" + collector + "\"]}\n",
	} {
		if err := files.WriteFile(path, []byte(text)); err != nil {
			t.Fatalf("write an overlay: %v", err)
		}
	}
	return files
}

// variables are what is set in the handler's container and in that of the adapter
// for Gateways.
func variables(t testing.TB, objects []*unstructured.Unstructured) map[string][]corev1.EnvVar {
	t.Helper()
	return map[string][]corev1.EnvVar{
		"the handler": handlerIn(t, objects).Spec.Template.Spec.Containers[0].Env,
		"the adapter": adapterIn(t, objects).Env,
	}
}

// Nothing is set twice, nor by an overlay that has said it by a patch of its own.
func TestTheHandlerAndTheAdapterSendToTheOverlaysCollector(t *testing.T) {
	for dir, objects := range map[string][]*unstructured.Unstructured{
		"the example": buildOnDisk(t, observabilityExample),
		"an overlay with what comes before": build(t, withConfigMap(t,
			overlayOf(t, authComponent, brokerComponent, brokerAuthComponent, singleSourceComponent, observabilityComponent),
			collectorName, "endpoint="+collector), "/overlay", krusty.ReorderOptionNone),
		"an overlay that sets it already": build(t, patchedBefore(t,
			"- {op: add, path: /spec/template/spec/containers/0/env/-, value: {name: "+endpointVariable+", value: former}}"),
			"/above", krusty.ReorderOptionNone),
	} {
		for who, set := range variables(t, objects) {
			var got []string
			for _, variable := range set {
				if variable.Name == endpointVariable {
					got = append(got, variable.Value)
				}
			}
			if diff := cmp.Diff([]string{collector}, got); diff != "" {
				t.Errorf("%s: %s sends to (-want +got):\n%s", dir, who, diff)
			}
		}
	}
}

// The adapter's own functions read its variables, as they stand in the manifest.
func TestTheAdapterTracesAllAndSendsNoMetrics(t *testing.T) {
	container := adapterIn(t, buildOnDisk(t, observabilityExample))
	text := container.env(t, adapter.EnvConfigObservabilityConfig)
	strict, err := json.UnmarshalStrict([]byte(text), &observability.Config{})
	if err != nil || len(strict) > 0 {
		t.Fatalf("Knative reads %s: %v %v", text, err, strict)
	}
	env := adapter.EnvConfig{ObservabilityConfigJson: text}
	config, err := env.GetObservabilityConfig()
	if err != nil {
		t.Fatal(err)
	}
	config = observability.MergeWithDefaults(config)
	if config.Tracing.Endpoint != "" {
		t.Errorf("an endpoint %s is given, which the variable is preferred to", config.Tracing.Endpoint)
	}
	config.Tracing.Endpoint = container.env(t, endpointVariable)
	if err := config.Tracing.Validate(); err != nil {
		t.Error(err)
	}
	if config.Tracing.Protocol != tracing.ProtocolHTTPProtobuf || config.Tracing.SamplingRate != 1 || config.Metrics.Protocol != metrics.ProtocolNone {
		t.Errorf("the configuration is %+v", config)
	}
}

func TestTheConfigMapsHoldTheFiles(t *testing.T) {
	objects := buildOnDisk(t, observabilityExample)
	for name, file := range map[string]struct{ key, path string }{
		"gateway-cert-dashboard": {"gateway-cert-handler.json", "dashboard.json"},
		"gateway-cert-alerts":    {"gateway-cert-handler.yaml", "alerts.yaml"},
	} {
		want, err := os.ReadFile(observabilityComponent + "/" + file.path)
		if err != nil {
			t.Fatal(err)
		}
		got := decoded[corev1.ConfigMap](t, named(t, objects, "ConfigMap", name)).Data
		if diff := cmp.Diff(map[string]string{file.key: string(want)}, got); diff != "" {
			t.Errorf("ConfigMap %s (-file +got):\n%s", name, diff)
		}
	}
	// What Grafana's chart has its sidecar look for.
	if got := named(t, objects, "ConfigMap", "gateway-cert-dashboard").GetLabels()["grafana_dashboard"]; got != "1" {
		t.Errorf("grafana_dashboard is %q", got)
	}
}

func TestObservabilityChangesNothingElse(t *testing.T) {
	before, after := buildOnDisk(t, example), buildOnDisk(t, observabilityExample)
	var others []string
	for _, object := range after {
		if object.GetKind() == "ConfigMap" {
			others = append(others, object.GetName())
		}
	}
	if diff := cmp.Diff([]string{"gateway-cert-dashboard", "gateway-cert-alerts"}, others); diff != "" {
		t.Errorf("ConfigMaps (-want +got):\n%s", diff)
	}
	want := variables(t, before)
	for who, set := range variables(t, after) {
		for i, variable := range want[who] {
			if variable.Name != adapter.EnvConfigObservabilityConfig && !cmp.Equal(variable, set[i]) {
				t.Errorf("of %s variable %d is %v, was %v", who, i, set[i], variable)
			}
		}
		if len(set) != len(want[who])+1 {
			t.Errorf("%s has %d variables, had %d", who, len(set), len(want[who]))
		}
	}
}

func TestWithoutItsCollectorObservabilityDoesNotBuild(t *testing.T) {
	_, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(overlayOf(t, observabilityComponent), "/overlay")
	if err == nil || !strings.Contains(err.Error(), collectorName) || !strings.Contains(err.Error(), "endpoint") {
		t.Errorf("the build says %v, want %s and its key endpoint named", err, collectorName)
	}
}

// What docs/deploy.md says of another namespace.
func TestTheDashboardAndTheAlertsCanBePutElsewhere(t *testing.T) {
	files := withConfigMap(t, overlayOf(t, observabilityComponent), collectorName, "endpoint="+collector)
	text, err := files.ReadFile("/overlay/kustomization.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const patch = `
patches:
- target: {kind: ConfigMap, name: gateway-cert-dashboard|gateway-cert-alerts}
  patch: |-
    - {op: replace, path: /metadata/namespace, value: monitoring}
`
	if err := files.WriteFile("/overlay/kustomization.yaml", append(text, patch...)); err != nil {
		t.Fatal(err)
	}
	objects := build(t, files, "/overlay", krusty.ReorderOptionNone)
	for _, name := range []string{"gateway-cert-dashboard", "gateway-cert-alerts"} {
		if got := named(t, objects, "ConfigMap", name).GetNamespace(); got != "monitoring" {
			t.Errorf("ConfigMap %s is in %s", name, got)
		}
	}
}
