package install

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const manifests = `# only a comment
---
apiVersion: v1
kind: ConfigMap
metadata: {name: config-autoscaler, namespace: knative-serving}
data: {kept: "1"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: config-logging, namespace: knative-eventing}
data:
  zap-logger-config: '{"level": "info", "encoding": "json"}'
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: webhook}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: request-reply}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: controller}
`

func fitted(t *testing.T) []document {
	t.Helper()
	documents, err := parse(strings.NewReader(manifests))
	if err != nil {
		t.Fatal(err)
	}
	if documents, err = fit(documents); err != nil {
		t.Fatal(err)
	}
	return documents
}

func TestWhatOneNodeHasNoUseForIsLeftOut(t *testing.T) {
	var names []string
	for _, d := range fitted(t) {
		names = append(names, d.GetName())
	}
	if got, want := strings.Join(names, " "), "config-autoscaler config-logging controller"; got != want {
		t.Errorf("there are %q, want %q", got, want)
	}
}

func TestSettingsAreAddedToWhatIsThere(t *testing.T) {
	data, _, err := unstructured.NestedStringMap(fitted(t)[0].Object, "data")
	if err != nil {
		t.Fatal(err)
	}
	if data["kept"] != "1" || data["stable-window"] != "6s" {
		t.Errorf("data is %v", data)
	}
}

func TestOnlyTheLogLevelOfTheAdaptersIsChanged(t *testing.T) {
	text, _, err := unstructured.NestedString(fitted(t)[1].Object, "data", "zap-logger-config")
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"encoding":"json","level":"debug"}`; text != want {
		t.Errorf("it is %s, want %s", text, want)
	}
}

func TestImportPathsBecomeReferences(t *testing.T) {
	reference := func(path string) (string, bool) {
		return "registry/" + path + "@sha256:1", path == "knative.dev/a/cmd/b_c"
	}
	got, err := withImages([]byte(`{"image": "ko://knative.dev/a/cmd/b_c"}`), reference)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"image": "registry/knative.dev/a/cmd/b_c@sha256:1"}`; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, err := withImages([]byte("ko://knative.dev/other"), reference); err == nil || !strings.Contains(err.Error(), "knative.dev/other") {
		t.Errorf("of an unknown program the error is %v", err)
	}
}

func TestTheOverlayChangesImagesAlone(t *testing.T) {
	target := Target{Root: "/project", Scratch: "/state", Reference: func(string) (string, bool) { return "registry/a@sha256:1", true }}
	text, err := target.overlay([]string{"knative/components/broker"})
	if err != nil {
		t.Fatal(err)
	}
	const want = `apiVersion: kustomize.config.k8s.io/v1beta1
components:
- ../../project/knative/components/broker
images:
- digest: sha256:1
  name: apiserver-receive-adapter
  newName: registry/a
- digest: sha256:1
  name: gateway-cert-handler
  newName: registry/a
kind: Kustomization
resources:
- ../../project/knative/base
`
	if string(text) != want {
		t.Errorf("the overlay is\n%s", text)
	}
}
