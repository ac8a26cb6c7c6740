package knative_test

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"knative.dev/eventing/pkg/adapter/v2"
	sourcesv1 "knative.dev/eventing/pkg/apis/sources/v1"
	"knative.dev/eventing/pkg/eventingtls"
	containersource "knative.dev/eventing/pkg/reconciler/containersource/resources"
	"knative.dev/pkg/apis"
	duckv1 "knative.dev/pkg/apis/duck/v1"
	"knative.dev/pkg/resolver"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

const (
	tlsExample         = "examples/tls"
	brokerTLSExample   = "examples/broker-tls"
	tlsComponent       = "components/tls"
	brokerTLSComponent = "components/broker-tls"

	// authoritiesName is the ConfigMap that an overlay makes for the components.
	authoritiesName = "gateway-cert-ca"
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
	binding.Do(asInTheBinding(addressesOf(), bundle), pod)
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

// addressed is an object that Knative has given an https address, which says who
// has issued the certificate, or does not.
func addressed(t testing.TB, objects []*unstructured.Unstructured, kind, name, authority string) *unstructured.Unstructured {
	t.Helper()
	object := named(t, objects, kind, name).DeepCopy()
	address := map[string]any{"url": "https://" + name + ".gateway-cert.svc.cluster.local"}
	if authority != "" {
		address["CACerts"] = authority
	}
	if err := unstructured.SetNestedField(object.Object, address, "status", "address"); err != nil {
		t.Fatal(err)
	}
	return object
}

// sinksOf are the sinks of the sources, by the source's kind.
func sinksOf(t testing.TB, objects []*unstructured.Unstructured) map[string]duckv1.Destination {
	t.Helper()
	return map[string]duckv1.Destination{
		"ApiServerSource": decoded[sourcesv1.ApiServerSource](t, named(t, objects, "ApiServerSource", "certificates")).Spec.Sink,
		"ContainerSource": decoded[sourcesv1.ContainerSource](t, named(t, objects, "ContainerSource", "gateways")).Spec.Sink,
		"PingSource":      decoded[sourcesv1.PingSource](t, named(t, objects, "PingSource", "sweep")).Spec.Sink,
	}
}

// trusted is what Knative's own function says of a destination: whom to trust at its
// address.
func trusted(t testing.TB, addresses *resolver.URIResolver, to duckv1.Destination) string {
	t.Helper()
	to.Ref = to.Ref.DeepCopy()
	to.Ref.Namespace = "gateway-cert" // as Knative's controllers do
	address, err := addresses.AddressableFromDestinationV1(t.Context(), to, &corev1.ConfigMap{})
	if err != nil {
		t.Fatalf("resolve %+v: %v", to.Ref, err)
	}
	if address.URL.Scheme != "https" {
		t.Errorf("the address is %s", address.URL)
	}
	return deref(address.CACerts)
}

// authorityOf is what an example has in its ca.crt.
func authorityOf(t testing.TB, dir string) string {
	t.Helper()
	text, err := os.ReadFile(dir + "/ca.crt")
	if err != nil {
		t.Fatalf("read the example's authority: %v", err)
	}
	return string(text)
}

func TestEverySourceTrustsTheAuthorityOfTheOverlay(t *testing.T) {
	objects := buildOnDisk(t, tlsExample)
	addresses := addressesOf(addressed(t, objects, "Service", "gateway-cert-handler", ""))
	for kind, sink := range sinksOf(t, objects) {
		if got, want := trusted(t, addresses, sink), authorityOf(t, tlsExample); got != want {
			t.Errorf("the %s trusts %q, want %q", kind, got, want)
		}
	}
}

// From the manifest to the variable, by Knative's own functions.
func TestTheGatewayAdapterIsGivenTheAuthorityOfTheOverlay(t *testing.T) {
	objects := buildOnDisk(t, tlsExample)
	source := decoded[sourcesv1.ContainerSource](t, named(t, objects, "ContainerSource", "gateways"))
	source.Spec.Sink.Ref.Namespace = source.Namespace
	pod := &duckv1.WithPod{}
	convert(t, containersource.MakeDeployment(source), pod)
	addresses := addressesOf(addressed(t, objects, "Service", "gateway-cert-handler", ""))
	containersource.MakeSinkBinding(source).Do(asInTheBinding(addresses), pod)
	if got, want := environment(pod.Spec.Template.Spec.Containers[0])[adapter.EnvConfigCACert], authorityOf(t, tlsExample); got != want {
		t.Errorf("%s is %q, want %q", adapter.EnvConfigCACert, got, want)
	}
}

func TestWithABrokerEachTrustsWhoeverIsNext(t *testing.T) {
	const brokers = "the Broker's"
	objects := buildOnDisk(t, brokerTLSExample)
	addresses := addressesOf(
		addressed(t, objects, "Broker", "gateway-cert", brokers),
		addressed(t, objects, "Service", "gateway-cert-handler", ""),
	)
	for kind, sink := range sinksOf(t, objects) {
		if got := trusted(t, addresses, sink); got != brokers {
			t.Errorf("the %s trusts %q, want what the Broker says", kind, got)
		}
	}
	all := triggers(t, objects)
	if len(all) != 3 {
		t.Errorf("%d Triggers, want one for each source", len(all))
	}
	for name, trigger := range all {
		if got, want := trusted(t, addresses, trigger.Spec.Subscriber), authorityOf(t, brokerTLSExample); got != want {
			t.Errorf("Trigger %s trusts %q, want %q", name, got, want)
		}
	}
}

// The ConfigMap with the authority is for the build alone.
func TestTLSChangesNothingButTheSinks(t *testing.T) {
	got := buildOnDisk(t, tlsExample)
	for _, object := range got {
		unstructured.RemoveNestedField(object.Object, "spec", "sink", "CACerts")
	}
	if diff := cmp.Diff(buildOnDisk(t, example), got); diff != "" {
		t.Errorf("(-overlay +tls):\n%s", diff)
	}
}

func TestWithoutItsAuthorityTLSDoesNotBuild(t *testing.T) {
	for name, files := range map[string]filesys.FileSystem{
		"no ConfigMap":               overlayOf(t, tlsComponent),
		"a ConfigMap without ca.crt": withConfigMap(t, overlayOf(t, tlsComponent), authoritiesName, "tls.crt=x"),
	} {
		_, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, "/overlay")
		if err == nil || !strings.Contains(err.Error(), authoritiesName) || !strings.Contains(err.Error(), "ca.crt") {
			t.Errorf("with %s the build says %v, want %s and its key ca.crt named", name, err, authoritiesName)
		}
	}
}

func TestBrokerTLSNeedsBothComponentsBelow(t *testing.T) {
	for _, below := range []string{brokerComponent, tlsComponent} {
		files := withConfigMap(t, overlayOf(t, below, brokerTLSComponent), authoritiesName, "ca.crt=x")
		if _, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, "/overlay"); err == nil {
			t.Errorf("built with %s alone", below)
		}
	}
}
