package trust

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/config/trust"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
	"gateway-cert-operator.io/gateway-cert-handler/test/rights"
)

const (
	examples = "../../knative/examples/"
	// shipped is the namespace of the manifests.
	shipped = "gateway-cert"
)

// added are the rights that an example gives the handler beside those of the base.
func added(t *testing.T, example string) []rights.Right {
	t.Helper()
	const account = "gateway-cert-handler"
	found := rights.Without(rights.Of(t, examples+example, account), rights.Of(t, examples+"overlay", account)...)
	if len(found) == 0 {
		t.Fatalf("%s adds no right", example)
	}
	return found
}

// sourcesOf are what an example's settings have a handler with these rights trust.
func sourcesOf(t *testing.T, example string, granted []rights.Right) trust.Sources {
	t.Helper()
	settings, err := config.Load(examples + example + "/config.yaml")
	namespace.Must(t, err)
	handler := plane.Config()
	handler.Impersonate.UserName = namespace.New(t, plane.Config()).Name
	rights.User{Config: plane.Config(), Name: handler.Impersonate.UserName}.Grant(t, granted)
	client, err := trust.NewClient(handler)
	namespace.Must(t, err)
	var sources trust.Sources
	for _, from := range settings.Trust.ConfigMaps {
		sources = append(sources, trust.ConfigMap{Client: client, Namespace: shipped, Name: from.Name, Key: from.Key})
	}
	if settings.Trust.KnativeBundles {
		sources = append(sources, trust.KnativeBundles{Client: client, Namespace: shipped})
	}
	return sources
}

// writeBundles makes what both examples read.
func writeBundles(t *testing.T) {
	t.Helper()
	owner, err := kubernetes.NewForConfig(plane.Config())
	namespace.Must(t, err)
	_, err = owner.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: shipped}}, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		namespace.Must(t, err)
	}
	s := &scene{t: t, name: shipped, owner: owner}
	s.write("gateway-cert-trust", data("ca.crt", authorities(t, 1)[0]))
	s.write("knative-bundle", labelled(authorities(t, 1)[0]))
}

func TestEachRightThatReadsBundlesIsNeededAndNamed(t *testing.T) {
	writeBundles(t)
	for _, example := range []string{"telemetry", "knative-trust"} {
		all := added(t, example)
		t.Run(example, func(t *testing.T) {
			bundle, err := sourcesOf(t, example, all).Resolve(t.Context())
			if err != nil || len(bundle) == 0 {
				t.Errorf("with all rights: Resolve = %q, %v", bundle, err)
			}
		})
		for _, taken := range all {
			t.Run(example+" without "+taken.String(), func(t *testing.T) {
				s := &scene{t: t}
				sources := sourcesOf(t, example, rights.Without(all, taken))
				if len(sources) != 1 {
					t.Fatalf("the settings name %d sources, want one", len(sources))
				}
				s.wantConfigError(sources[0], "the right to read it is missing", "in namespace "+taken.Namespace,
					fmt.Sprintf("apiGroups [%q], resources [%s]", taken.Group, taken.Resource), "verbs ["+taken.Verb+"]", taken.Name, taken.Refusal())
			})
		}
	}
}
