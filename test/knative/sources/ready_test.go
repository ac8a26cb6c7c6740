package sources

import (
	"encoding/json"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"gateway-cert-operator.io/gateway-cert-handler/test/knative"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

func TestEverySourceIsReady(t *testing.T) {
	knative.Need(t)
	for _, source := range []string{"apiserversource/certificates", "containersource/gateways", "pingsource/sweep"} {
		t.Run(source, func(t *testing.T) {
			_, err := system.Kubectl(t.Context(), "", "-n", stack.Namespace, "wait", source,
				"--for=condition=Ready", "--timeout="+patience.String())
			namespace.Must(t, err)
		})
	}
}

// read reads an object of the manifests.
func (c *cluster) read(t *testing.T, into any, kind, name string) {
	t.Helper()
	text, err := c.Kubectl(t.Context(), "", "-n", stack.Namespace, "get", kind, name, "-o", "json")
	namespace.Must(t, err)
	namespace.Must(t, json.Unmarshal([]byte(text), into))
}

// watchedBy returns the namespaces that an adapter is told of.
func watchedBy(t *testing.T, env []corev1.EnvVar) []string {
	t.Helper()
	var config struct{ Namespaces []string }
	namespace.Must(t, json.Unmarshal([]byte(valueOf(env, "K_SOURCE_CONFIG")), &config))
	return config.Namespaces
}
