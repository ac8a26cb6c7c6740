package knative_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	servingv1 "knative.dev/serving/pkg/apis/serving/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"gateway-cert-operator.io/gateway-cert-handler/config"
)

const settingsComponent = "components/settings"

// settingsMap is the ConfigMap that an overlay has generated.
func settingsMap(t testing.TB, objects []*unstructured.Unstructured) *corev1.ConfigMap {
	t.Helper()
	var found []*corev1.ConfigMap
	for _, object := range objects {
		if object.GetKind() == "ConfigMap" {
			found = append(found, decoded[corev1.ConfigMap](t, object))
		}
	}
	if len(found) != 1 || !strings.HasPrefix(found[0].Name, "gateway-cert-settings-") {
		t.Fatalf("ConfigMaps are %v, want one called gateway-cert-settings and a hash", found)
	}
	return found[0]
}

func handlerIn(t testing.TB, objects []*unstructured.Unstructured) *servingv1.Service {
	t.Helper()
	return decoded[servingv1.Service](t, named(t, objects, "Service", "gateway-cert-handler"))
}

// withSettings builds an overlay with the component that is on no disk.
func withSettings(t testing.TB, settings, kustomization string) []*unstructured.Unstructured {
	t.Helper()
	files := filesys.MakeFsInMemory()
	for _, dir := range []string{base, example, settingsExample, settingsComponent} {
		copyFiles(t, files, dir)
	}
	for path, add := range map[string]string{"config.yaml": settings, "kustomization.yaml": kustomization} {
		path = "/" + settingsExample + "/" + path
		before, err := files.ReadFile(path)
		if err != nil {
			t.Fatalf("read the example: %v", err)
		}
		if err := files.WriteFile(path, append(before, add...)); err != nil {
			t.Fatalf("write the overlay: %v", err)
		}
	}
	return build(t, files, "/"+settingsExample, krusty.ReorderOptionNone)
}

// kustomize knows nothing of a Knative Service: that the hash of the name gets
// into it is the component's doing.
func TestTheHandlerMountsTheSettingsThatTheOverlayGenerates(t *testing.T) {
	for name, add := range map[string]string{
		"as in the example":    "",
		"in another namespace": "namespace: elsewhere\n",
	} {
		t.Run(name, func(t *testing.T) {
			objects := withSettings(t, "", add)
			settings := settingsMap(t, objects)
			service := handlerIn(t, objects)
			volumes := service.Spec.Template.Spec.Volumes
			if len(volumes) != 1 || volumes[0].ConfigMap == nil || volumes[0].ConfigMap.Name != settings.Name {
				t.Errorf("volumes are %+v, want ConfigMap %s", volumes, settings.Name)
			}
			if service.Namespace != settings.Namespace {
				t.Errorf("the handler is in %s, the settings in %s", service.Namespace, settings.Namespace)
			}
		})
	}
}

func TestTheHandlerIsToldTheFileThatIsMounted(t *testing.T) {
	objects := buildOnDisk(t, settingsExample)
	container := handlerIn(t, objects).Spec.Template.Spec.Containers[0]
	if len(container.VolumeMounts) != 1 {
		t.Fatalf("mounts are %+v", container.VolumeMounts)
	}
	settings := settingsMap(t, objects)
	var want []string
	for key := range settings.Data {
		want = append(want, "-config="+container.VolumeMounts[0].MountPath+"/"+key, "-config-map", settings.Name)
	}
	if diff := cmp.Diff(want, container.Args); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
}

// Knative makes a Revision when the template changes, and only then.
func TestSettingsThatChangeMakeANewRevision(t *testing.T) {
	before := handlerIn(t, buildOnDisk(t, settingsExample)).Spec.Template
	after := handlerIn(t, withSettings(t, "  listenerPort: 8443\n", "")).Spec.Template
	if cmp.Equal(before, after) {
		t.Errorf("the template stays as it was")
	}
}

func TestTheHandlerAcceptsTheExampleSettings(t *testing.T) {
	const file = settingsExample + "/config.yaml"
	settings, err := config.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := settings.GatewayDefaults().CertificateNamespaces; got != "All" {
		t.Errorf("certificateNamespaces is %q", got)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("read the example: %v", err)
	}
	mounted := settingsMap(t, buildOnDisk(t, settingsExample)).Data
	if diff := cmp.Diff(map[string]string{"config.yaml": string(data)}, mounted); diff != "" {
		t.Errorf("what is mounted (-file +ConfigMap):\n%s", diff)
	}
}

// The settings are all that the example adds.
func TestTheSettingsChangeNothingElse(t *testing.T) {
	with := handlerIn(t, buildOnDisk(t, settingsExample))
	spec := &with.Spec.Template.Spec
	spec.Volumes, spec.Containers[0].VolumeMounts, spec.Containers[0].Args = nil, nil, nil
	if diff := cmp.Diff(handlerIn(t, buildOnDisk(t, example)), with); diff != "" {
		t.Errorf("(-overlay +settings):\n%s", diff)
	}
}

func TestTheSettingsOverwriteNothingThatALayerBelowHasPutThere(t *testing.T) {
	for path, value := range map[string]string{
		"/spec/template/spec/containers/0/args":         "[-other]",
		"/spec/template/spec/containers/0/volumeMounts": "[{name: other, mountPath: /other, readOnly: true}]",
		"/spec/template/spec/volumes":                   "[{name: other, configMap: {name: other}}]",
	} {
		t.Run(path, func(t *testing.T) {
			files := filesys.MakeFsInMemory()
			copyFiles(t, files, base)
			copyFiles(t, files, settingsComponent)
			for name, kustomization := range map[string]string{
				"below": "resources: [../base]\npatches:\n- target: {kind: Service}\n" +
					"  patch: |-\n    - {op: add, path: " + path + ", value: " + value + "}\n",
				"overlay": "resources: [../below]\ncomponents: [../" + settingsComponent + "]\n",
			} {
				if err := files.WriteFile("/"+name+"/kustomization.yaml", []byte(kustomization)); err != nil {
					t.Fatalf("write the overlay: %v", err)
				}
			}
			build(t, files, "/below", krusty.ReorderOptionNone)
			_, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, "/overlay")
			if err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("built with %v, want an error that names %s", err, path)
			}
		})
	}
}
