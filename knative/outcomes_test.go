package knative_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	corev1listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	sourcesv1 "knative.dev/eventing/pkg/apis/sources/v1"
	"knative.dev/pkg/apis"
	"knative.dev/pkg/apis/duck"
	duckv1 "knative.dev/pkg/apis/duck/v1"
	"knative.dev/pkg/client/injection/ducks/duck/v1/addressable"
	fakedynamicclient "knative.dev/pkg/injection/clients/dynamicclient/fake"
	"knative.dev/pkg/resolver"
	"knative.dev/pkg/tracker"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/handler/outcomes"
)

const (
	outcomesExample    = "examples/outcomes"
	outcomesComponent  = "components/outcomes"
	brokerReplyExample = "examples/broker-reply"
)

func sinkBinding(t testing.TB, objects []*unstructured.Unstructured) *sourcesv1.SinkBinding {
	t.Helper()
	return decoded[sourcesv1.SinkBinding](t, named(t, objects, "SinkBinding", "outcomes"))
}

func TestTheSinkBindingIsForTheHandler(t *testing.T) {
	objects := buildOnDisk(t, outcomesExample)
	service := referTo(named(t, objects, "Service", "gateway-cert-handler"))
	binding := sinkBinding(t, objects)
	want := tracker.Reference{APIVersion: service.APIVersion, Kind: service.Kind, Name: service.Name}
	if diff := cmp.Diff(want, binding.Spec.Subject); diff != "" {
		t.Errorf("subject (-want +got):\n%s", diff)
	}
	if handler := handlerIn(t, objects); binding.Namespace != handler.Namespace {
		t.Errorf("the SinkBinding is in %s, the handler in %s", binding.Namespace, handler.Namespace)
	}
}

// With the labels it does so whichever way it selects.
func TestTheSinkBindingWebhookReachesTheHandler(t *testing.T) {
	objects := buildOnDisk(t, outcomesExample)
	for kind, name := range map[string]string{"Namespace": "gateway-cert", "Service": "gateway-cert-handler"} {
		labels := named(t, objects, kind, name).GetLabels()
		if labels[duck.BindingIncludeLabel] != "true" || labels[duck.BindingExcludeLabel] != "" {
			t.Errorf("the %s has the labels %v, want %s and not %s", kind, labels, duck.BindingIncludeLabel, duck.BindingExcludeLabel)
		}
	}
}

// bound is the Service as Knative's own function leaves it, for a sink that has
// an address already.
func bound(t testing.TB, objects []*unstructured.Unstructured, sink string) *unstructured.Unstructured {
	t.Helper()
	binding := sinkBinding(t, objects)
	address, err := apis.ParseURL(sink)
	if err != nil {
		t.Fatal(err)
	}
	binding.Spec.Sink = duckv1.Destination{URI: address}
	service := named(t, objects, "Service", "gateway-cert-handler")
	pod := &duckv1.WithPod{}
	convert(t, service.Object, pod)

	binding.Do(asInTheBinding(addressesOf()), pod)

	containers := []any{}
	convert(t, pod.Spec.Template.Spec.Containers, &containers)
	if err := unstructured.SetNestedSlice(service.Object, containers, "spec", "template", "spec", "containers"); err != nil {
		t.Fatal(err)
	}
	return service
}

// asInTheBinding has what Knative's function needs: where addresses are resolved,
// and the bundles of certificates that are in the namespace.
func asInTheBinding(addresses *resolver.URIResolver, bundles ...*corev1.ConfigMap) context.Context {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for _, bundle := range bundles {
		_ = indexer.Add(bundle) // fails only where the key function does
	}
	ctx := sourcesv1.WithURIResolver(context.Background(), addresses)
	return sourcesv1.WithTrustBundleConfigMapLister(ctx, corev1listers.NewConfigMapLister(indexer))
}

// addressesOf are Knative's own way from a sink to its address, in a cluster that
// has these objects.
func addressesOf(objects ...runtime.Object) *resolver.URIResolver {
	cluster, _ := fakedynamicclient.With(context.Background(), scheme.Scheme, objects...)
	return resolver.NewURIResolverFromTracker(addressable.WithDuck(cluster), tracker.New(func(types.NamespacedName) {}, 0))
}

func convert(t testing.TB, from, to any) {
	t.Helper()
	data, err := json.Marshal(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, to); err != nil {
		t.Fatal(err)
	}
}

func TestTheHandlerReadsWhatTheSinkBindingInjects(t *testing.T) {
	const address = "http://broker-ingress.knative-eventing.svc.cluster.local/platform/events"
	service := bound(t, buildOnDisk(t, outcomesExample), address)
	if err := admit(t, service); err != nil {
		t.Errorf("Knative does not admit the bound Service: %v", err)
	}
	env := environment(handlerIn(t, []*unstructured.Unstructured{service}).Spec.Template.Spec.Containers[0])
	sink, err := outcomes.ParseSink(env["K_SINK"])
	if err != nil || sink.String() != address {
		t.Errorf("the sink is %v, %v; want %s", sink, err, address)
	}
	overrides, err := outcomes.ParseOverrides(env["K_CE_OVERRIDES"])
	if diff := cmp.Diff(outcomes.Overrides{"cluster": "eu-1"}, overrides); err != nil || diff != "" {
		t.Errorf("the overrides: %v (-want +got):\n%s", err, diff)
	}
}

func TestTheHandlerReadsThatThereAreNoOverrides(t *testing.T) {
	objects := buildOnDisk(t, outcomesExample)
	unstructured.RemoveNestedField(named(t, objects, "SinkBinding", "outcomes").Object, "spec", "ceOverrides")
	env := environment(handlerIn(t, []*unstructured.Unstructured{bound(t, objects, "http://sink")}).Spec.Template.Spec.Containers[0])
	if text, there := env["K_CE_OVERRIDES"]; !there {
		t.Errorf("K_CE_OVERRIDES is not set")
	} else if overrides, err := outcomes.ParseOverrides(text); err != nil || len(overrides) > 0 {
		t.Errorf("%q is read as %v, %v; want none", text, overrides, err)
	}
}

// An overlay that forgets the sink is told so, and by Knative.
func TestTheSinkBindingIsNotAdmittedWithoutASink(t *testing.T) {
	files := filesys.MakeFsInMemory()
	copyFiles(t, files, base)
	copyFiles(t, files, outcomesComponent)
	kustomization := "resources: [../base]\ncomponents: [../" + outcomesComponent + "]\n"
	if err := files.WriteFile("/overlay/kustomization.yaml", []byte(kustomization)); err != nil {
		t.Fatalf("write the overlay: %v", err)
	}
	binding := named(t, build(t, files, "/overlay", krusty.ReorderOptionNone), "SinkBinding", "outcomes")
	if err := admit(t, binding); err == nil || !strings.Contains(err.Error(), "spec.sink") {
		t.Errorf("admitted: %v, want an error that names spec.sink", err)
	}
}

// Beside the label and the SinkBinding all is as it was.
func TestTheOutcomesChangeNothingElse(t *testing.T) {
	before := map[string]*unstructured.Unstructured{}
	for _, object := range buildOnDisk(t, example) {
		before[object.GetKind()+" "+object.GetName()] = object
	}
	for _, object := range buildOnDisk(t, outcomesExample) {
		of := object.GetKind() + " " + object.GetName()
		if of == "SinkBinding outcomes" {
			continue
		}
		if of == "Service gateway-cert-handler" {
			unstructured.RemoveNestedField(object.Object, "metadata", "labels", "bindings.knative.dev/include")
		}
		if diff := cmp.Diff(before[of], object); diff != "" {
			t.Errorf("%s (-without +with):\n%s", of, diff)
		}
	}
}

func TestTheHandlerAcceptsTheSettingsOfReplies(t *testing.T) {
	settings, err := config.Load(brokerReplyExample + "/config.yaml")
	if err != nil || !settings.Outcomes.Reply {
		t.Errorf("the settings are %+v, %v; want replies", settings, err)
	}
}
