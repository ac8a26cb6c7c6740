package sources

import (
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"

	"gateway-cert-operator.io/gateway-cert-handler/test/knative"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

// What docs/upstream.md tells of Knative, with what to do about it.
func TestEachNewNamespaceChangesTheAdapterOfCertificatesAndNotThatOfGateways(t *testing.T) {
	knative.Need(t)
	certificates, err := system.adapterOf(t.Context(), "certificates")
	namespace.Must(t, err)
	gateways, err := system.awaitDeployment(t.Context(), stack.Namespace, gatewayDeployment, bound)
	namespace.Must(t, err)

	made := namespace.New(t, system.Config()).Name
	_, err = system.awaitDeployment(t.Context(), stack.Namespace, certificates.Name, func(now *appsv1.Deployment) bool {
		return now.Generation > certificates.Generation && slices.Contains(watchedBy(t, containerOf(now).Env), made)
	})
	if err != nil {
		t.Errorf("namespace %s has not changed the Deployment: has Knative mended it? See docs/upstream.md: %v", made, err)
	}
	now, err := system.awaitDeployment(t.Context(), stack.Namespace, gatewayDeployment, bound)
	namespace.Must(t, err)
	if now.Generation != gateways.Generation {
		t.Error("the Deployment of the ContainerSource was changed")
	}
}
