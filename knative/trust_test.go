package knative_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"gateway-cert-operator.io/gateway-cert-handler/config"
)

const (
	telemetryExample      = "examples/telemetry"
	knativeTrustExample   = "examples/knative-trust"
	trustComponent        = "components/trust"
	knativeTrustComponent = "components/knative-trust"
)

func TestTheRightsToReadBundlesAreExactlyThese(t *testing.T) {
	for component, want := range map[string]rbacv1.PolicyRule{
		trustComponent: {
			APIGroups: []string{""}, Resources: []string{"configmaps"},
			ResourceNames: []string{"gateway-cert-trust"}, Verbs: []string{"get"},
		},
		knativeTrustComponent: {
			APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"list"},
		},
	} {
		files := filesys.MakeFsInMemory()
		copyFiles(t, files, component)
		if err := files.WriteFile("/overlay/kustomization.yaml", []byte("components: [../"+component+"]\n")); err != nil {
			t.Fatal(err)
		}
		objects := build(t, files, "/overlay", krusty.ReorderOptionNone)
		name := objects[0].GetName()
		role := decoded[rbacv1.Role](t, named(t, objects, "Role", name))
		binding := decoded[rbacv1.RoleBinding](t, named(t, objects, "RoleBinding", name))
		if diff := cmp.Diff([]rbacv1.PolicyRule{want}, role.Rules); diff != "" {
			t.Errorf("%s: rules (-want +got):\n%s", component, diff)
		}
		if diff := cmp.Diff([]rbacv1.Subject{{Kind: "ServiceAccount", Name: "gateway-cert-handler", Namespace: "gateway-cert"}}, binding.Subjects); diff != "" {
			t.Errorf("%s: subjects (-want +got):\n%s", component, diff)
		}
		if binding.RoleRef.Kind != "Role" || binding.RoleRef.Name != role.Name || binding.Namespace != role.Namespace || len(objects) != 2 {
			t.Errorf("%s: the binding is of %+v in %s, want Role %s in %s and nothing else", component, binding.RoleRef, binding.Namespace, role.Name, role.Namespace)
		}
	}
}

// What the settings point at has to be in the pod, or readable.
func TestTheExampleOfTelemetryHasWhatItsSettingsPointAt(t *testing.T) {
	settings, err := config.Load(telemetryExample + "/config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	objects := buildOnDisk(t, telemetryExample)
	role := decoded[rbacv1.Role](t, named(t, objects, "Role", "gateway-cert-handler-trust"))
	for _, from := range settings.Trust.ConfigMaps {
		if !slices.Contains(role.Rules[0].ResourceNames, from.Name) {
			t.Errorf("ConfigMap %s may not be read, only %v", from.Name, role.Rules[0].ResourceNames)
		}
	}
	pod := handlerIn(t, objects).Spec.Template.Spec
	mounted := map[string]string{}
	for _, mount := range pod.Containers[0].VolumeMounts {
		mounted[mount.Name] = mount.MountPath
	}
	for _, volume := range pod.Volumes {
		if volume.Secret != nil && mounted[volume.Name]+"/client-secret" != settings.Telemetry.OAuth2.ClientSecretFile {
			t.Errorf("Secret %s is at %s, want the secret at %s", volume.Secret.SecretName, mounted[volume.Name], settings.Telemetry.OAuth2.ClientSecretFile)
		}
	}
	if len(pod.Volumes) != 2 {
		t.Errorf("%d volumes, want the settings and the Secret", len(pod.Volumes))
	}
}

// Settings that ask for the bundles need the right, and an endpoint with which a
// bundle is read at all.
func TestTheExampleOfKnativesTrustHasWhatItsSettingsNeed(t *testing.T) {
	settings, err := config.Load(knativeTrustExample + "/config.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if want := (config.Trust{KnativeBundles: true}); !reflect.DeepEqual(settings.Trust, want) {
		t.Errorf("the settings have %+v, want %+v", settings.Trust, want)
	}
	objects := buildOnDisk(t, knativeTrustExample)
	named(t, objects, "Role", "gateway-cert-handler-knative-trust")
	endpoint := environment(handlerIn(t, objects).Spec.Template.Spec.Containers[0])["OTEL_EXPORTER_OTLP_ENDPOINT"]
	if !strings.HasPrefix(endpoint, "https://") {
		t.Errorf("the endpoint is %q, for which no bundle is read", endpoint)
	}
}
