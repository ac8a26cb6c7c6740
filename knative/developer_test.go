package knative_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	sourcesv1 "knative.dev/eventing/pkg/apis/sources/v1"
	"knative.dev/serving/pkg/apis/autoscaling"
	servingv1 "knative.dev/serving/pkg/apis/serving/v1"
)

const (
	developerExample   = "examples/operatorless-dev"
	developerComponent = "components/operatorless-dev"
)

// forAdministrators says whether a kind belongs to the cluster.
func forAdministrators(kind string) bool {
	return slices.Contains([]string{"Namespace", "ClusterRole", "ClusterRoleBinding"}, kind)
}

func TestADeveloperAppliesWhatIsInTheNamespaceAlone(t *testing.T) {
	var want, got []string
	for _, object := range buildOnDisk(t, base) {
		if !forAdministrators(object.GetKind()) {
			want = append(want, object.GetKind()+" "+object.GetName())
		}
	}
	for _, object := range buildWith(t, developerComponent) {
		got = append(got, object.GetKind()+" "+object.GetName())
		if object.GetNamespace() == "" {
			t.Errorf("%s %s is in no namespace", object.GetKind(), object.GetName())
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
}

func TestADevelopersHandlerStaysAwakeAndCanBeLookedInto(t *testing.T) {
	service := decoded[servingv1.Service](t, named(t, buildWith(t, developerComponent), "Service", "gateway-cert-handler"))
	if got := service.Spec.Template.Annotations[autoscaling.MinScaleAnnotationKey]; got != "1" {
		t.Errorf("min-scale is %q", got)
	}
	if got := service.Spec.Template.Spec.Containers[0].Args; !slices.Equal(got, []string{"-debug-address=127.0.0.1:6060"}) {
		t.Errorf("arguments are %q", got)
	}
}

func TestADeveloperWaitsAMinuteForASweep(t *testing.T) {
	sweep := decoded[sourcesv1.PingSource](t, named(t, buildWith(t, developerComponent), "PingSource", "sweep"))
	if sweep.Spec.Schedule != "* * * * *" {
		t.Errorf("the sweep comes %q", sweep.Spec.Schedule)
	}
}
