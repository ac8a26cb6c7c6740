package sources

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
	"gateway-cert-operator.io/gateway-cert-handler/test/knative"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

// The tests of all other packages start adapters with what AdapterEnv says.
func TestAdapterEnvSaysWhatTheControllerDoes(t *testing.T) {
	knative.Need(t)
	source, err := system.Kubectl(t.Context(), "", "-n", stack.Namespace, "get", "apiserversource", "certificates", "-o", "json")
	namespace.Must(t, err)
	deployment, err := system.adapterOf(t.Context(), "certificates")
	namespace.Must(t, err)
	got := containerOf(deployment).Env
	want, err := controlplane.AdapterEnv(t.Context(), controlplane.AdapterEnvOptions{
		Assets: system.assets, Source: []byte(source), Sink: system.sink.URL, Namespaces: watchedBy(t, got),
		Logging: configMap(t, "config-logging"), Observability: configMap(t, "config-observability"),
	})
	namespace.Must(t, err)
	if diff := cmp.Diff(inPod(t, want), inPod(t, got)); diff != "" {
		t.Errorf("AdapterEnv and the Deployment differ (-AdapterEnv +Deployment):\n%s", diff)
	}
	expectSourceAccount(t, deployment)
}

// What a ContainerSource spells out is handed on as it is; where to send is added
// by the SinkBinding that Knative makes of it.
func TestTheContainerSourcesEnvironmentIsOursAndTheSink(t *testing.T) {
	knative.Need(t)
	deployment, err := system.awaitDeployment(t.Context(), stack.Namespace, gatewayDeployment, bound)
	namespace.Must(t, err)
	want := inPod(t, gatewayPod(t).Spec.Containers[0].Env)
	want["K_SINK"], want["K_CE_OVERRIDES"] = system.sink.URL, ""
	if diff := cmp.Diff(want, inPod(t, containerOf(deployment).Env)); diff != "" {
		t.Errorf("the environment is not the one that is written and the sink (-want +got):\n%s", diff)
	}
	expectSourceAccount(t, deployment)
}

// The comparison is that of Knative's controller. Where it finds a difference it
// writes the Deployment anew each time it looks.
func TestTheContainerSourcesDeploymentNeedsNoChange(t *testing.T) {
	knative.Need(t)
	deployment, err := system.awaitDeployment(t.Context(), stack.Namespace, gatewayDeployment, bound)
	namespace.Must(t, err)
	want, have := gatewayPod(t), deployment.Spec.Template
	if !equality.Semantic.DeepDerivative(want, have) {
		t.Errorf("of what is written something is otherwise in the Deployment; a number that is not written is too (-written +Deployment):\n%s", cmp.Diff(want, have))
	}
}

// gatewayPod is the pod that the ContainerSource asks for.
func gatewayPod(t *testing.T) corev1.PodTemplateSpec {
	t.Helper()
	var source struct {
		Spec struct{ Template corev1.PodTemplateSpec }
	}
	system.read(t, &source, "containersource", "gateways")
	return source.Spec.Template
}

// inPod is what a process of the container is given.
func inPod(t *testing.T, env []corev1.EnvVar) controlplane.Env {
	t.Helper()
	resolved, err := controlplane.ResolveEnv(env, map[string]string{"metadata.namespace": stack.Namespace})
	namespace.Must(t, err)
	return resolved
}

func configMap(t *testing.T, name string) map[string]string {
	t.Helper()
	config, err := system.client.CoreV1().ConfigMaps(knativeNamespace).Get(t.Context(), name, metav1.GetOptions{})
	namespace.Must(t, err)
	return config.Data
}

func expectSourceAccount(t *testing.T, deployment *appsv1.Deployment) {
	t.Helper()
	if account, want := deployment.Spec.Template.Spec.ServiceAccountName, "gateway-cert-source"; account != want {
		t.Errorf("the adapter runs as %q, want %s", account, want)
	}
}
