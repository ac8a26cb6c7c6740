package docs

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/modfile"
)

// required returns the version of a module that the go.mod at path requires.
func required(t *testing.T, module string, path ...string) string {
	t.Helper()
	file, err := modfile.Parse(module, []byte(read(t, path...)), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, require := range file.Require {
		if require.Mod.Path == module {
			return require.Mod.Version
		}
	}
	t.Fatalf("%v does not require %s", path, module)
	return ""
}

func TestTheCompatibilityPageNamesTheVersionsThatAreTested(t *testing.T) {
	const kubernetes = "k8s.io/kubernetes"
	want := map[string][]string{"Kubernetes": {
		required(t, kubernetes, "test", "controlplane", "kubernetes", "go.mod"),
		required(t, kubernetes, "test", "controlplane", "kubernetes-1.34", "go.mod"),
	}}
	for name, module := range map[string]string{
		"Gateway API":      "sigs.k8s.io/gateway-api",
		"cert-manager":     "github.com/cert-manager/cert-manager",
		"Knative Serving":  "knative.dev/serving",
		"Knative Eventing": "knative.dev/eventing",
	} {
		version := required(t, module, "go.mod")
		want[name] = []string{version, version}
	}
	page, _, _ := strings.Cut(read(t, "docs", "compatibility.md"), "\nOf Kubernetes ")
	got := map[string][]string{}
	for _, row := range rows(page, "# Compatibility") {
		got[strings.TrimSpace(row[0])] = []string{strings.TrimSpace(row[1]), strings.TrimSpace(row[2])}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("versions (-go.mod +page):\n%s", diff)
	}
}
