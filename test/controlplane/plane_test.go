package controlplane_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

func TestEveryKindTheProjectWorksWithIsServed(t *testing.T) {
	client := kubernetes.NewForConfigOrDie(runningPlane(t).Config())
	for groupVersion, resources := range map[string][]string{
		"gateway.networking.k8s.io/v1":              {"gateways", "gatewayclasses", "httproutes", "listenersets", "referencegrants"},
		"cert-manager.io/v1":                        {"certificates", "certificaterequests", "issuers", "clusterissuers"},
		"acme.cert-manager.io/v1":                   {"orders", "challenges"},
		"sources.knative.dev/v1":                    {"apiserversources", "containersources", "pingsources", "sinkbindings"},
		"eventing.knative.dev/v1":                   {"brokers", "triggers"},
		"serving.knative.dev/v1":                    {"services", "configurations", "revisions", "routes"},
		"autoscaling.internal.knative.dev/v1alpha1": {"podautoscalers", "metrics"},
	} {
		t.Run(groupVersion, func(t *testing.T) {
			list, err := client.Discovery().ServerResourcesForGroupVersion(groupVersion)
			if err != nil {
				t.Fatal(err)
			}
			served := map[string]bool{}
			for _, resource := range list.APIResources {
				served[resource.Name] = true
			}
			for _, resource := range resources {
				if !served[resource] {
					t.Errorf("%s is not served", resource)
				}
			}
		})
	}
}

func TestKubeconfigsAreForTheirOwnerOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubeconfig")
	// A file left by something else, which anyone may read.
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := runningPlane(t).WriteKubeconfig(path); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); mode != 0o600 {
		t.Errorf("its mode is %o, not 600", mode)
	}
}

func TestAdminMayReadSecrets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := runningPlane(t).WriteKubeconfig(path); err != nil {
		t.Fatal(err)
	}
	if !mayListSecrets(t, path) {
		t.Error("the admin may not list Secrets")
	}
}

func TestServiceAccountIsNotAdmin(t *testing.T) {
	if mayListSecrets(t, serviceAccountKubeconfig(t, "plain")) {
		t.Error("a ServiceAccount without roles may list Secrets")
	}
}

func TestServiceAccountIsKnownByItsName(t *testing.T) {
	client := clientFor(t, serviceAccountKubeconfig(t, "known"))
	_, err := client.CoreV1().Secrets("").List(t.Context(), metav1.ListOptions{})
	const want = `secrets is forbidden: User "system:serviceaccount:default:known" cannot list resource "secrets" in API group "" at the cluster scope`
	if err == nil || err.Error() != want {
		t.Errorf("the server says %v", err)
	}
}

func TestMissingServiceAccountIsNamed(t *testing.T) {
	err := runningPlane(t).ServiceAccountKubeconfig(t.Context(), "default", "absent", filepath.Join(t.TempDir(), "kubeconfig"))
	if err == nil {
		t.Error("a kubeconfig of a ServiceAccount that does not exist was written")
	}
}

// serviceAccountKubeconfig creates a ServiceAccount in the namespace default
// and returns the path of its kubeconfig.
func serviceAccountKubeconfig(t *testing.T, name string) string {
	t.Helper()
	plane := runningPlane(t)
	accounts := kubernetes.NewForConfigOrDie(plane.Config()).CoreV1().ServiceAccounts("default")
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := accounts.Create(t.Context(), account, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	deleteAtEnd(t, name, accounts.Delete)
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := plane.ServiceAccountKubeconfig(t.Context(), "default", name, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// deleteAtEnd deletes an object with the test, for the sake of clusters that
// outlive it.
func deleteAtEnd(t *testing.T, name string, remove func(context.Context, string, metav1.DeleteOptions) error) {
	t.Cleanup(func() {
		if err := remove(context.Background(), name, metav1.DeleteOptions{}); err != nil {
			t.Errorf("delete %s: %v", name, err)
		}
	})
}

func mayListSecrets(t *testing.T, kubeconfig string) bool {
	t.Helper()
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "list", Resource: "secrets"},
	}}
	answer, err := clientFor(t, kubeconfig).AuthorizationV1().SelfSubjectAccessReviews().Create(t.Context(), review, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return answer.Status.Allowed
}

func clientFor(t *testing.T, kubeconfig string) *kubernetes.Clientset {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}
