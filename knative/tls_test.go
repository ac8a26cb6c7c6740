package knative_test

import (
	"reflect"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"knative.dev/eventing/pkg/adapter/v2"
	sourcesv1 "knative.dev/eventing/pkg/apis/sources/v1"
	"knative.dev/eventing/pkg/eventingtls"
	containersource "knative.dev/eventing/pkg/reconciler/containersource/resources"
	"knative.dev/pkg/apis"
	duckv1 "knative.dev/pkg/apis/duck/v1"
)

// encrypted is the pod of ContainerSource gateways as Knative's own functions make
// it, for a sink with TLS and a certificate of its own, and with a trust bundle in
// the namespace.
func encrypted(t testing.TB, dir string) corev1.PodSpec {
	t.Helper()
	source := decoded[sourcesv1.ContainerSource](t, named(t, buildOnDisk(t, dir), "ContainerSource", "gateways"))
	binding := containersource.MakeSinkBinding(source)
	address, err := apis.ParseURL("https://sink.gateway-cert.svc")
	if err != nil {
		t.Fatal(err)
	}
	binding.Spec.Sink = duckv1.Destination{URI: address, CACerts: new("the sink's")}
	bundle := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: source.Namespace, Name: "bundle", Labels: map[string]string{eventingtls.TrustBundleLabelKey: eventingtls.TrustBundleLabelValue},
	}}
	pod := &duckv1.WithPod{}
	convert(t, containersource.MakeDeployment(source), pod)
	binding.Do(asInTheBinding(bundle), pod)
	return pod.Spec.Template.Spec
}

// Nothing of ours has to change: the adapter reads what Knative adds.
func TestTheGatewayAdapterIsToldWhomToTrust(t *testing.T) {
	var read []string
	for field := range reflect.TypeFor[adapter.EnvConfig]().Fields() {
		read = append(read, field.Tag.Get("envconfig"))
	}
	for _, dir := range []string{base, singleSourceExample, brokerAuthExample} {
		container := encrypted(t, dir).Containers[0]
		for name, want := range map[string]string{
			adapter.EnvConfigSink: "https://sink.gateway-cert.svc", adapter.EnvConfigCACert: "the sink's",
		} {
			if got := environment(container)[name]; got != want || !slices.Contains(read, name) {
				t.Errorf("%s: %s is %q, want %q; the adapter reads %v", dir, name, got, want, read)
			}
		}
		mounted := func(mount corev1.VolumeMount) bool { return mount.MountPath == eventingtls.TrustBundleMountPath }
		if !slices.ContainsFunc(container.VolumeMounts, mounted) {
			t.Errorf("%s: nothing is mounted at %s", dir, eventingtls.TrustBundleMountPath)
		}
	}
}

func TestAnEncryptedPodIsAdmittedWhereTheNamespaceIsRestricted(t *testing.T) {
	if found := violations(t, encrypted(t, hardenedExample)); found != "" {
		t.Error(found)
	}
}
