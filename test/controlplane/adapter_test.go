package controlplane_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
)

var certificates = schema.GroupVersionResource{Group: "cert-manager.io", Version: "v1", Resource: "certificates"}

const certificateSource = `
apiVersion: sources.knative.dev/v1
kind: ApiServerSource
metadata: {name: certificates, namespace: default}
spec:
  mode: Resource
  namespaceSelector: {}
  resources:
  - apiVersion: cert-manager.io/v1
    kind: Certificate
  sink: {uri: http://replaced.invalid}
`

func TestTwoAdaptersSideBySideBothSendAnEvent(t *testing.T) {
	kubeconfig := watcherKubeconfig(t, "side-by-side")
	one, other := startAdapter(t, kubeconfig), startAdapter(t, kubeconfig)
	createCertificate(t, "side-by-side")
	for name, sink := range map[string]*sink{"first": one, "second": other} {
		if event := sink.next(t, "side-by-side"); event != "dev.knative.apiserver.resource.add" {
			t.Errorf("the %s adapter sent %q", name, event)
		}
	}
}

func TestNothingIsMissedOnceTheAdapterWatches(t *testing.T) {
	kubeconfig := watcherKubeconfig(t, "no-miss")
	sink := startAdapter(t, kubeconfig)
	createCertificate(t, "no-miss")
	if event := sink.next(t, "no-miss"); event != "dev.knative.apiserver.resource.add" {
		t.Errorf("the adapter sent %q", event)
	}
}

func TestAdapterWithoutRightsSaysWhy(t *testing.T) {
	adapter, err := controlplane.StartAdapter(t.Context(), controlplane.AdapterOptions{
		Assets:     assets,
		Kubeconfig: serviceAccountKubeconfig(t, "no-rights"),
		Env:        sourceEnv(t, "http://replaced.invalid"),
		Namespace:  "default",
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	err = adapter.WaitUntilWatching(ctx)
	if err == nil || !strings.Contains(err.Error(), "certificates.cert-manager.io is forbidden") {
		t.Errorf("the error is %v", err)
	}
}

func TestAdapterEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	adapter, err := controlplane.StartAdapter(ctx, controlplane.AdapterOptions{
		Assets:     assets,
		Kubeconfig: watcherKubeconfig(t, "ends"),
		Env:        sourceEnv(t, "http://replaced.invalid"),
		Namespace:  "default",
	})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := adapter.Wait(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestEnvironmentThatNeedsAPodIsRefusedByName(t *testing.T) {
	_, err := controlplane.StartAdapter(t.Context(), controlplane.AdapterOptions{
		Assets: assets,
		Env: []corev1.EnvVar{{Name: "NODE", ValueFrom: &corev1.EnvVarSource{
			FieldRef: &corev1.ObjectFieldSelector{FieldPath: "spec.nodeName"},
		}}},
	})
	if err == nil || !strings.Contains(err.Error(), "environment variable NODE") {
		t.Errorf("the error is %v", err)
	}
}

// sink collects the events that one adapter sends.
type sink struct{ events chan http.Header }

func (s *sink) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.events <- r.Header
	w.WriteHeader(http.StatusNoContent)
}

// next returns the type of the next event about the named object.
func (s *sink) next(t *testing.T, name string) string {
	t.Helper()
	for deadline := time.After(10 * time.Second); ; {
		select {
		case header := <-s.events:
			if header.Get("Ce-Name") == name {
				return header.Get("Ce-Type")
			}
		case <-deadline:
			t.Fatalf("no event about %s arrived", name)
		}
	}
}

// startAdapter starts an adapter for Certificates and returns, once it
// watches, where its events arrive.
func startAdapter(t *testing.T, kubeconfig string) *sink {
	t.Helper()
	s := &sink{events: make(chan http.Header, 100)}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	adapter, err := controlplane.StartAdapter(t.Context(), controlplane.AdapterOptions{
		Assets:     assets,
		Kubeconfig: kubeconfig,
		Env:        sourceEnv(t, server.URL),
		Namespace:  "default",
		Output:     t.Output(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := adapter.Stop(grace); err != nil {
			t.Error(err)
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := adapter.WaitUntilWatching(ctx); err != nil {
		t.Fatal(err)
	}
	return s
}

func sourceEnv(t *testing.T, url string) []corev1.EnvVar {
	t.Helper()
	env, err := controlplane.AdapterEnv(t.Context(), controlplane.AdapterEnvOptions{
		Assets: assets, Source: []byte(certificateSource), Sink: url,
	})
	if err != nil {
		t.Fatal(err)
	}
	return env
}

// watcherKubeconfig returns the kubeconfig of a new ServiceAccount that may
// watch Certificates.
func watcherKubeconfig(t *testing.T, name string) string {
	t.Helper()
	kubeconfig := serviceAccountKubeconfig(t, name)
	client := kubernetes.NewForConfigOrDie(runningPlane(t).Config()).RbacV1()
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: []rbacv1.PolicyRule{{
		APIGroups: []string{"cert-manager.io"}, Resources: []string{"certificates"}, Verbs: []string{"get", "list", "watch"},
	}}}
	if _, err := client.ClusterRoles().Create(t.Context(), role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	deleteAtEnd(t, name, client.ClusterRoles().Delete)
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: "default", Name: name}},
	}
	if _, err := client.ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	deleteAtEnd(t, name, client.ClusterRoleBindings().Delete)
	return kubeconfig
}

func createCertificate(t *testing.T, name string) {
	t.Helper()
	client := dynamic.NewForConfigOrDie(runningPlane(t).Config()).Resource(certificates).Namespace("default")
	certificate := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "cert-manager.io/v1",
		"kind":       "Certificate",
		"metadata":   map[string]any{"name": name},
		"spec": map[string]any{
			"secretName": name,
			"dnsNames":   []any{name + ".example.com"},
			"issuerRef":  map[string]any{"name": "none"},
		},
	}}
	if _, err := client.Create(t.Context(), certificate, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	deleteAtEnd(t, name, func(ctx context.Context, name string, opts metav1.DeleteOptions) error {
		return client.Delete(ctx, name, opts)
	})
}
