// Package layering holds the arrows between the packages: they run down only.
package layering

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "gateway-cert-operator.io/gateway-cert-handler"

// layers are the packages of the product. Each may import of the others only
// what stands beside it, and of the rest of the world nothing that is barred.
var layers = map[string]struct{ mayImport, barred []string }{
	"cmd/gateway-cert-handler": {
		mayImport: []string{"cmd/gateway-cert-handler/notice", "cmd/version", "config", "config/live", "config/outbound", "config/rules", "config/telemetry", "config/trust", "handler", "handler/authn", "handler/debug", "handler/outcomes", "reconcile", "reconcile/cluster"},
	},
	"cmd/gateway-cert-handler/notice": {
		mayImport: []string{"reconcile/cluster"},
		barred:    []string{"k8s.io/client-go", "knative.dev/"},
	},
	"cmd/kubectl-gateway_cert": {
		mayImport: []string{
			"cmd/kubectl-gateway_cert/deliver", "cmd/kubectl-gateway_cert/diff", "cmd/kubectl-gateway_cert/explain", "cmd/kubectl-gateway_cert/screen",
			"cmd/kubectl-gateway_cert/tree", "cmd/kubectl-gateway_cert/view", "cmd/version", "config", "config/rules", "knative", "reconcile/cluster", "reconcile/plan",
		},
		barred: []string{"knative.dev/"},
	},
	"cmd/kubectl-gateway_cert/deliver": {
		mayImport: []string{"knative"},
		barred:    []string{"k8s.io/client-go", "knative.dev/"},
	},
	"cmd/kubectl-gateway_cert/diff": {
		mayImport: []string{"cmd/kubectl-gateway_cert/screen", "cmd/kubectl-gateway_cert/view", "reconcile/plan"},
		barred:    []string{"github.com/cloudevents/", "knative.dev/", "k8s.io/client-go", "net/http"},
	},
	"cmd/kubectl-gateway_cert/explain": {
		mayImport: []string{"cmd/kubectl-gateway_cert/screen", "cmd/kubectl-gateway_cert/view", "reconcile/plan"},
		barred:    []string{"github.com/cloudevents/", "knative.dev/", "k8s.io/client-go", "net/http"},
	},
	"cmd/kubectl-gateway_cert/screen": {barred: []string{"knative.dev/", "k8s.io/client-go", "net/http"}},
	"cmd/kubectl-gateway_cert/tree": {
		mayImport: []string{"cmd/kubectl-gateway_cert/screen", "cmd/kubectl-gateway_cert/view", "reconcile/plan"},
		barred:    []string{"github.com/cloudevents/", "knative.dev/", "k8s.io/client-go", "net/http"},
	},
	"cmd/kubectl-gateway_cert/view": {
		mayImport: []string{"reconcile/plan"},
		barred:    []string{"github.com/cloudevents/", "knative.dev/", "k8s.io/client-go", "k8s.io/cli-runtime", "net/http"},
	},
	"cmd/version": {barred: []string{"github.com/", "k8s.io/", "knative.dev/", "go.opentelemetry.io/", "net/http", "log"}},
	"config": {
		mayImport: []string{"config/policytest", "reconcile/plan", "reconcile/truncate"},
		barred:    []string{"k8s.io/api/", "k8s.io/client-go", "knative.dev/", "github.com/cloudevents/", "go.opentelemetry.io/", "net/http", "log"},
	},
	"config/live": {
		mayImport: []string{"config"},
		barred:    []string{"k8s.io/", "knative.dev/", "github.com/cloudevents/", "go.opentelemetry.io/", "net/http", "log"},
	},
	"config/outbound": {barred: []string{"k8s.io/", "knative.dev/", "github.com/cloudevents/", "go.opentelemetry.io/"}},
	"config/policytest": {
		mayImport: []string{"reconcile/plan"},
		barred:    []string{"k8s.io/client-go", "knative.dev/", "github.com/cloudevents/", "go.opentelemetry.io/", "net/http", "log"},
	},
	"config/rules": {
		mayImport: []string{"config", "reconcile/plan"},
		barred:    []string{"k8s.io/api/", "k8s.io/client-go", "knative.dev/", "github.com/cloudevents/", "go.opentelemetry.io/", "net/http", "log"},
	},
	"config/telemetry": {barred: []string{"k8s.io/", "knative.dev/", "github.com/cloudevents/"}},
	"config/trust": {
		barred: []string{"knative.dev/", "github.com/cloudevents/", "go.opentelemetry.io/", "net/http", "log"},
	},
	"handler": {
		mayImport: []string{"handler/authn", "handler/outcomes", "knative", "reconcile", "reconcile/truncate"},
		barred:    []string{"k8s.io/client-go", "knative.dev/"},
	},
	"handler/authn": {
		barred: []string{"k8s.io/client-go", "knative.dev/", "github.com/cloudevents/", "go.opentelemetry.io/", "net/http", "log"},
	},
	"handler/debug": {
		mayImport: []string{"reconcile", "reconcile/plan"},
		barred:    []string{"k8s.io/client-go", "knative.dev/", "github.com/cloudevents/"},
	},
	"handler/outcomes": {
		mayImport: []string{"knative", "reconcile", "reconcile/truncate"},
		barred:    []string{"k8s.io/client-go", "knative.dev/"},
	},
	"knative": {barred: []string{"knative.dev/", "k8s.io/", "github.com/"}},
	"reconcile": {
		mayImport: []string{"reconcile/cluster", "reconcile/plan", "reconcile/truncate"},
		barred:    []string{"github.com/cloudevents/", "knative.dev/", "net/http", "k8s.io/client-go"},
	},
	"reconcile/cluster": {
		mayImport: []string{"reconcile/plan", "reconcile/truncate"},
		barred:    []string{"github.com/cloudevents/", "knative.dev/"},
	},
	"reconcile/plan": {
		mayImport: []string{"reconcile/truncate"},
		barred:    []string{"github.com/cloudevents/", "github.com/google/cel-go/", "knative.dev/", "k8s.io/client-go", "net/http", "go.opentelemetry.io/", "log"},
	},
	"reconcile/truncate": {barred: []string{"github.com/", "knative.dev/", "k8s.io/", "go.opentelemetry.io/", "net/http", "log"}},
}

type listed struct {
	ImportPath string
	Imports    []string
	Deps       []string
}

func list(t *testing.T, pattern string) []listed {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-tags", "rules", "-json=ImportPath,Imports,Deps", pattern)
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list %s: %v", pattern, err)
	}
	var packages []listed
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		switch err := decoder.Decode(&p); {
		case errors.Is(err, io.EOF):
			return packages
		case err != nil:
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

// violations returns the imports of a package that its layer does not allow.
func violations(name string, imports []string) []string {
	var found []string
	layer := layers[name]
	for _, path := range imports {
		if own, ok := strings.CutPrefix(path, module+"/"); ok {
			if !slices.Contains(layer.mayImport, own) {
				found = append(found, path)
			}
			continue
		}
		for _, barred := range layer.barred {
			if path == barred || strings.HasPrefix(path, strings.TrimSuffix(barred, "/")+"/") {
				found = append(found, path)
			}
		}
	}
	return found
}

func TestArrowsRunDownOnly(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range list(t, "./...") {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		if strings.HasPrefix(name, "test/") {
			continue
		}
		seen[name] = true
		if _, known := layers[name]; !known {
			t.Errorf("package %s has no place in the layers yet", name)
			continue
		}
		for _, path := range violations(name, p.Imports) {
			t.Errorf("package %s imports %s", name, path)
		}
	}
	for name := range layers {
		if !seen[name] {
			t.Errorf("package %s has a place in the layers and is not there", name)
		}
	}
}

// Not even by way of another package may the planner reach a cluster or a
// tracer. (net/http comes with apimachinery's types and is not counted.)
func TestThePlannerReachesNoClientAndNoTracer(t *testing.T) {
	for _, path := range list(t, "./reconcile/plan")[0].Deps {
		if strings.HasPrefix(path, "k8s.io/client-go/") || strings.HasPrefix(path, "go.opentelemetry.io/") {
			t.Errorf("reconcile/plan depends on %s", path)
		}
	}
}

// The language of rules is for those alone who say so: it is in the plugin, and in
// the handler that is built with the tag.
func TestSettingsAndPlannerReachNoLanguageOfRules(t *testing.T) {
	for _, name := range []string{"config", "config/policytest", "reconcile/plan"} {
		for _, path := range list(t, "./"+name)[0].Deps {
			if strings.HasPrefix(path, "github.com/google/cel-go/") {
				t.Errorf("%s depends on %s", name, path)
			}
		}
	}
}

// Each of these makes the handler megabytes larger, whoever imports it: make size
// shows by how much.
func TestTheHandlerIsKeptSmall(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-tags", "grpcnotrace", "../../cmd/gateway-cert-handler").Output()
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.FieldsSeq(string(out)) {
		switch path {
		case "html/template", "text/template", "k8s.io/client-go/kubernetes/scheme", "k8s.io/client-go/gentype", "k8s.io/client-go/discovery":
			t.Errorf("the handler depends on %s", path)
		}
	}
}

func TestAnArrowThatRunsUpIsSeen(t *testing.T) {
	for name, path := range map[string]string{
		"cmd/kubectl-gateway_cert/explain": module + "/reconcile/cluster",
		"cmd/kubectl-gateway_cert/view":    "k8s.io/client-go/rest",
		"reconcile/plan":                   "k8s.io/client-go/rest",
		"reconcile":                        module + "/handler",
		"reconcile/cluster":                module + "/reconcile",
		"config":                           module + "/reconcile",
		"config/live":                      module + "/reconcile",
		"config/policytest":                module + "/config",
		"config/trust":                     module + "/config",
		"config/outbound":                  module + "/config/trust",
		"handler":                          module + "/reconcile/plan",
		"handler/authn":                    module + "/handler",
		"handler/outcomes":                 module + "/handler",
		"knative":                          "knative.dev/eventing/pkg/apis/sources/v1",
	} {
		if len(violations(name, []string{path})) != 1 {
			t.Errorf("%s importing %s is not seen", name, path)
		}
	}
}
