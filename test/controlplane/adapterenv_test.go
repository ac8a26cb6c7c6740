package controlplane_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
)

func TestSourceThatSelectsAllNamespacesWatchesAll(t *testing.T) {
	config := valueOf(t, sourceEnv(t, "http://sink.example"), "K_SOURCE_CONFIG")
	if !strings.Contains(config, `"allNamespaces":true`) {
		t.Errorf("the configuration is %s", config)
	}
}

func TestSourceWithoutASelectorWatchesItsOwnNamespace(t *testing.T) {
	config := valueOf(t, knativeEnv(t, controlplane.AdapterEnvOptions{
		Source: []byte(strings.Replace(certificateSource, "namespaceSelector: {}", "", 1)),
	}), "K_SOURCE_CONFIG")
	if !strings.Contains(config, `"namespaces":["default"],"allNamespaces":false`) {
		t.Errorf("the configuration is %s", config)
	}
}

func TestSourceWatchesThePluralThatKnativeGuesses(t *testing.T) {
	config := valueOf(t, knativeEnv(t, controlplane.AdapterEnvOptions{
		Source: []byte(strings.Replace(certificateSource, "kind: Certificate", "kind: Gateway", 1)),
	}), "K_SOURCE_CONFIG")
	if !strings.Contains(config, `"Resource":"gatewaies"`) {
		t.Errorf("the configuration is %s", config)
	}
}

func TestEventsGoToTheSink(t *testing.T) {
	if sink := valueOf(t, sourceEnv(t, "http://sink.example"), "K_SINK"); sink != "http://sink.example" {
		t.Errorf("the sink is %q", sink)
	}
}

func TestObservabilityConfigReachesTheAdapter(t *testing.T) {
	config := valueOf(t, knativeEnv(t, controlplane.AdapterEnvOptions{
		Source: []byte(certificateSource),
		Observability: map[string]string{
			"tracing-protocol":      "http/protobuf",
			"tracing-endpoint":      "http://collector.example",
			"tracing-sampling-rate": "1",
		},
	}), "K_OBSERVABILITY_CONFIG")
	if !strings.Contains(config, "http://collector.example") {
		t.Errorf("the configuration is %s", config)
	}
}

func TestSourceWithAnUnknownFieldIsRefused(t *testing.T) {
	_, err := controlplane.AdapterEnv(t.Context(), controlplane.AdapterEnvOptions{
		Assets: assets, Source: []byte(certificateSource + "  modes: Resource\n"), Sink: "http://sink.example",
	})
	if err == nil || !strings.Contains(err.Error(), `unknown field "modes"`) {
		t.Errorf("the error is %v", err)
	}
}

func TestSourceThatKnativesWebhookRefusesIsRefused(t *testing.T) {
	_, err := controlplane.AdapterEnv(t.Context(), controlplane.AdapterEnvOptions{
		Assets: assets, Source: []byte(strings.Replace(certificateSource, "mode: Resource", "mode: Everything", 1)), Sink: "http://sink.example",
	})
	if err == nil || !strings.Contains(err.Error(), "would be refused by Knative's webhook") {
		t.Errorf("the error is %v", err)
	}
}

func knativeEnv(t *testing.T, opts controlplane.AdapterEnvOptions) []corev1.EnvVar {
	t.Helper()
	opts.Assets, opts.Sink = assets, "http://sink.example"
	env, err := controlplane.AdapterEnv(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return env
}

func valueOf(t *testing.T, env []corev1.EnvVar, name string) string {
	t.Helper()
	for _, v := range env {
		if v.Name == name {
			return v.Value
		}
	}
	t.Fatalf("%s is not in %v", name, env)
	return ""
}

func TestAdapterIsToldWhereKnativeIsInstalled(t *testing.T) {
	if namespace := valueOf(t, sourceEnv(t, "http://sink.example"), "SYSTEM_NAMESPACE"); namespace != "knative-eventing" {
		t.Errorf("the namespace is %q", namespace)
	}
}
