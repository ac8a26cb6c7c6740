package knative_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"knative.dev/eventing/pkg/adapter/v2"
	sourcesv1 "knative.dev/eventing/pkg/apis/sources/v1"
	knativeauth "knative.dev/eventing/pkg/auth"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"gateway-cert-operator.io/gateway-cert-handler/config"
)

const (
	authExample   = "examples/auth"
	authComponent = "components/auth"
	tokenReviews  = "authentication.k8s.io tokenreviews"
)

// sender is what a source says of itself to its sink.
type sender struct{ audience, username string }

// sendersOf are the sources, with the accounts that Knative makes for those that
// it runs itself.
func sendersOf(t testing.TB, objects []*unstructured.Unstructured) map[string]sender {
	t.Helper()
	account := func(object *unstructured.Unstructured, name string) string {
		return "system:serviceaccount:" + object.GetNamespace() + ":" + name
	}
	found := map[string]sender{}
	for _, object := range objects {
		switch kind := object.GetKind(); kind {
		case "ApiServerSource":
			source := decoded[sourcesv1.ApiServerSource](t, object)
			name := knativeauth.GetOIDCServiceAccountNameForResource(object.GroupVersionKind(), source.ObjectMeta)
			found[kind] = sender{deref(source.Spec.Sink.Audience), account(object, name)}
		case "PingSource":
			source := decoded[sourcesv1.PingSource](t, object)
			name := knativeauth.GetOIDCServiceAccountNameForResource(object.GroupVersionKind(), source.ObjectMeta)
			found[kind] = sender{deref(source.Spec.Sink.Audience), account(object, name)}
		case "ContainerSource":
			set := environment(decoded[sourcesv1.ContainerSource](t, object).Spec.Template.Spec.Containers[0])
			found[kind] = sender{set[adapter.EnvConfigAudience], account(object, set[adapter.EnvConfigOIDCServiceAccount])}
		}
	}
	return found
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func TestTheExampleAllowsExactlyItsSources(t *testing.T) {
	settings, err := config.Load(authExample + "/config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var usernames []string
	for kind, sender := range sendersOf(t, buildOnDisk(t, authExample)) {
		usernames = append(usernames, sender.username)
		if sender.audience != settings.Authentication.Audience {
			t.Errorf("%s has its token issued for %q, the handler wants %q", kind, sender.audience, settings.Authentication.Audience)
		}
	}
	allowed := slices.Sorted(slices.Values(settings.Authentication.Allowed))
	slices.Sort(usernames)
	if diff := cmp.Diff(usernames, allowed); diff != "" {
		t.Errorf("(-sources +allowed):\n%s", diff)
	}
}

// Of the base no source sends a token.
func TestTheBaseAsksForNoToken(t *testing.T) {
	for kind, sender := range sendersOf(t, buildOnDisk(t, base)) {
		if sender.audience != "" {
			t.Errorf("%s has the audience %q", kind, sender.audience)
		}
	}
}

// The token is asked for with the rights of the account that the pod runs as.
func TestTheGatewayAdapterMayHaveTokensOfItsOwnAccountAlone(t *testing.T) {
	objects := buildOnDisk(t, authExample)
	pod := decoded[sourcesv1.ContainerSource](t, named(t, objects, "ContainerSource", "gateways")).Spec.Template.Spec
	if got := environment(pod.Containers[0])[adapter.EnvConfigOIDCServiceAccount]; got != pod.ServiceAccountName {
		t.Errorf("it asks for tokens of %q and runs as %q", got, pod.ServiceAccountName)
	}
	rules := decoded[rbacv1.Role](t, named(t, objects, "Role", "gateway-cert-source-auth")).Rules
	want := []rbacv1.PolicyRule{{
		APIGroups: []string{""}, Resources: []string{"serviceaccounts/token"},
		ResourceNames: []string{pod.ServiceAccountName}, Verbs: []string{"create"},
	}}
	if diff := cmp.Diff(want, rules); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	binding := decoded[rbacv1.RoleBinding](t, named(t, objects, "RoleBinding", "gateway-cert-source-auth"))
	subject := rbacv1.Subject{Kind: "ServiceAccount", Namespace: "gateway-cert", Name: pod.ServiceAccountName}
	if binding.RoleRef.Name != "gateway-cert-source-auth" || !slices.Equal(binding.Subjects, []rbacv1.Subject{subject}) {
		t.Errorf("the binding is of %+v to %+v", binding.RoleRef, binding.Subjects)
	}
}

// What else the component brings, besides what it patches, and that it needs no
// settings to build.
func TestTheAuthComponentBringsTheseObjects(t *testing.T) {
	files := filesys.MakeFsInMemory()
	copyFiles(t, files, base)
	copyFiles(t, files, authComponent)
	kustomization := "resources: [../base]\ncomponents: [../" + authComponent + "]\n"
	if err := files.WriteFile("/overlay/kustomization.yaml", []byte(kustomization)); err != nil {
		t.Fatalf("write the overlay: %v", err)
	}
	objects := build(t, files, "/overlay", krusty.ReorderOptionNone)
	var brought []string
	for _, object := range objects[len(buildOnDisk(t, base)):] {
		brought = append(brought, object.GetKind()+" "+object.GetName())
	}
	want := []string{
		"ClusterRole gateway-cert-handler-auth", "ClusterRoleBinding gateway-cert-handler-auth",
		"Role gateway-cert-source-auth", "RoleBinding gateway-cert-source-auth",
	}
	if diff := cmp.Diff(want, brought); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	binding := decoded[rbacv1.ClusterRoleBinding](t, named(t, objects, "ClusterRoleBinding", "gateway-cert-handler-auth"))
	subject := rbacv1.Subject{Kind: "ServiceAccount", Namespace: "gateway-cert", Name: "gateway-cert-handler"}
	if binding.RoleRef.Name != "gateway-cert-handler-auth" || !slices.Equal(binding.Subjects, []rbacv1.Subject{subject}) {
		t.Errorf("the binding is of %+v to %+v", binding.RoleRef, binding.Subjects)
	}
}

func TestTheAdapterKnowsTheVariablesOfAuthentication(t *testing.T) {
	var read []string
	for field := range reflect.TypeFor[adapter.EnvConfig]().Fields() {
		read = append(read, field.Tag.Get("envconfig"))
	}
	source := decoded[sourcesv1.ContainerSource](t, named(t, buildOnDisk(t, authExample), "ContainerSource", "gateways"))
	for _, variable := range source.Spec.Template.Spec.Containers[0].Env[len(gatewayAdapter(t).Env):] {
		if !slices.Contains(read, variable.Name) {
			t.Errorf("the adapter does not read %s", variable.Name)
		}
	}
}
