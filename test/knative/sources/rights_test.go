package sources

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	sourcesv1 "knative.dev/eventing/pkg/apis/sources/v1"
	"knative.dev/pkg/apis"

	"gateway-cert-operator.io/gateway-cert-handler/test/knative"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
	"gateway-cert-operator.io/gateway-cert-handler/test/rights"
	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

const (
	sourceAccount = "gateway-cert-source"
	sourceUser    = "system:serviceaccount:" + stack.Namespace + ":" + sourceAccount
)

// watchedKind is what the ApiServerSource watches. The account's other rights are
// for the ContainerSource, and test/overlays takes them away.
const watchedKind = "certificates"

func TestTheApiServerSourceNeedsEachRight(t *testing.T) {
	knative.Need(t)
	source := rights.User{Config: system.Config(), Name: sourceUser}
	var taken int
	for _, right := range rights.Of(t, "../../../knative/base", sourceAccount) {
		if right.Resource != watchedKind {
			continue
		}
		taken++
		t.Run(right.String(), func(t *testing.T) {
			source.Take(t, right)
			name := createSource(t, "without-"+right.Verb)
			says := fmt.Sprintf("User %s cannot %s resource %q in API group %q in Namespace ", sourceUser, right.Verb, right.Resource, right.Group)
			if got := mayAct(t, name); !got.IsFalse() || !strings.HasPrefix(got.Message, says) {
				t.Errorf("Knative says %+v, want that it is not enough: %s", got, says)
			}
		})
	}
	if taken == 0 {
		t.Errorf("nothing was taken away: the account has no right to %s", watchedKind)
	}
}

func TestTheApiServerSourcesRightsAreEnough(t *testing.T) {
	knative.Need(t)
	if got := mayAct(t, createSource(t, "with-all")); !got.IsTrue() {
		t.Errorf("Knative says %+v", got)
	}
}

// createSource makes one more of the ApiServerSource in the manifests, until the test
// ends: one that is there already is looked at again only in growing pauses.
func createSource(t *testing.T, name string) string {
	t.Helper()
	var shipped sourcesv1.ApiServerSource
	system.read(t, &shipped, "apiserversource", "certificates")
	object, err := json.Marshal(&sourcesv1.ApiServerSource{
		TypeMeta:   shipped.TypeMeta,
		ObjectMeta: metav1.ObjectMeta{Namespace: shipped.Namespace, Name: name},
		Spec:       shipped.Spec,
	})
	namespace.Must(t, err)
	_, err = system.Kubectl(t.Context(), string(object), "create", "-f", "-")
	namespace.Must(t, err)
	t.Cleanup(func() {
		_, err := system.Kubectl(system.ctx, "", "-n", stack.Namespace, "delete", "apiserversource", name)
		namespace.Must(t, err)
	})
	return name
}

// mayAct waits until Knative has said whether a source's account may do enough.
func mayAct(t *testing.T, name string) *apis.Condition {
	t.Helper()
	var said *apis.Condition
	err := wait.PollUntilContextTimeout(t.Context(), pollEach, patience, true, func(context.Context) (bool, error) {
		var source sourcesv1.ApiServerSource
		system.read(t, &source, "apiserversource", name)
		said = source.Status.GetCondition(sourcesv1.ApiServerConditionSufficientPermissions)
		return !said.IsUnknown(), nil
	})
	if err != nil {
		t.Fatalf("after %s Knative has not said whether the account of %s may do enough: %+v", patience, name, said)
	}
	return said
}
