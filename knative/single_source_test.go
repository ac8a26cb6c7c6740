package knative_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"knative.dev/eventing/pkg/adapter/v2"
	eventingv1alpha1 "knative.dev/eventing/pkg/apis/eventing/v1alpha1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

const (
	singleSourceExample   = "examples/single-source"
	singleSourceComponent = "components/single-source"
	quietExample          = "examples/quiet"
	quietComponent        = "components/quiet"

	watchedLabel = "gateway-cert-operator.io/watched"
)

// hasSingleSource says whether an example has one source for both kinds.
func hasSingleSource(dir string) bool { return dir == singleSourceExample || dir == quietExample }

// certificateWatch is what Knative's controller makes of the base's ApiServerSource.
func certificateWatch(t testing.TB) resourceWatch {
	t.Helper()
	resource := certificateSource(t).Spec.Resources[0]
	version, err := schema.ParseGroupVersion(resource.APIVersion)
	if err != nil {
		t.Fatal(err)
	}
	guess, _ := meta.UnsafeGuessKindToResource(version.WithKind(resource.Kind))
	selector, err := metav1.LabelSelectorAsSelector(resource.LabelSelector)
	if err != nil {
		t.Fatal(err)
	}
	return resourceWatch{GVR: guess, LabelSelector: selector.String()}
}

func TestTheSourcesOfEachOverlayWatch(t *testing.T) {
	of := gatewayConfig(t).Resources[0]
	withLabel := of
	withLabel.LabelSelector = watchedLabel
	for name, tc := range map[string]struct {
		components []string
		want       []resourceWatch
	}{
		"single-source": {[]string{singleSourceComponent}, []resourceWatch{certificateWatch(t), of}},
		"quiet":         {[]string{quietComponent}, []resourceWatch{withLabel}},
		"both":          {[]string{singleSourceComponent, quietComponent}, []resourceWatch{certificateWatch(t), withLabel}},
	} {
		t.Run(name, func(t *testing.T) {
			want := gatewayConfig(t)
			want.Resources = tc.want
			if diff := cmp.Diff(want, adapterIn(t, buildWith(t, tc.components...)).config(t)); diff != "" {
				t.Errorf("configuration (-want +got):\n%s", diff)
			}
		})
	}
}

// Of the base's objects the component takes one away, and adds none.
func TestASingleSourceStandsInPlaceOfBoth(t *testing.T) {
	var want, got []string
	for _, object := range buildOnDisk(t, base) {
		if object.GetKind() != "ApiServerSource" {
			want = append(want, object.GetKind()+" "+object.GetName())
		}
	}
	for _, object := range buildWith(t, singleSourceComponent) {
		got = append(got, object.GetKind()+" "+object.GetName())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
}

// It changes one variable of the adapter; what other components have set stays.
func TestASingleSourceGoesWithTheComponentsBeforeIt(t *testing.T) {
	before := []string{authComponent, brokerComponent, brokerAuthComponent}
	want, objects := adapterIn(t, buildWith(t, before...)), buildWith(t, append(before, singleSourceComponent)...)
	got := adapterIn(t, objects)
	for i := range want.Env {
		if want.Env[i].Name == "K_SOURCE_CONFIG" {
			got.Env[i].Value = want.Env[i].Value
		}
	}
	if diff := cmp.Diff(want.Container, got.Container); diff != "" {
		t.Errorf("the adapter (-before +after):\n%s", diff)
	}
	if got.env(t, adapter.EnvConfigAudience) == "" {
		t.Error("the adapter asks for no token")
	}
	policy := decoded[eventingv1alpha1.EventPolicy](t, named(t, objects, "EventPolicy", "gateway-cert-sources"))
	for _, from := range policy.Spec.From {
		if from.Ref != nil && from.Ref.Kind == "ApiServerSource" {
			t.Errorf("the policy waits for %s %s, which is not there", from.Ref.Kind, from.Ref.Name)
		}
	}
	if len(policy.Spec.From) != 2 {
		t.Errorf("the policy allows %d senders, want the ping and the adapter", len(policy.Spec.From))
	}
}

// The later one would undo the former, or change another variable, without a word.
func TestComponentsInTheWrongOrderDoNotBuild(t *testing.T) {
	for name, files := range map[string]filesys.FileSystem{
		"quiet before single-source": overlayOf(t, quietComponent, singleSourceComponent),
		"observability before broker-auth": withConfigMap(t,
			overlayOf(t, observabilityComponent, authComponent, brokerComponent, brokerAuthComponent),
			collectorName, "endpoint="+collector),
	} {
		_, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, "/overlay")
		if err == nil || !strings.Contains(err.Error(), "test failed") {
			t.Errorf("%s: the build says %v, want that a place is not as it is thought to be", name, err)
		}
	}
}
