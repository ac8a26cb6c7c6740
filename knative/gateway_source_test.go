package knative_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"knative.dev/eventing/pkg/adapter/v2"
	sourcesv1 "knative.dev/eventing/pkg/apis/sources/v1"
	strictjson "sigs.k8s.io/json"
)

// adapterContainer is the container that plays Knative's adapter.
type adapterContainer struct{ corev1.Container }

func gatewayAdapter(t testing.TB) adapterContainer {
	t.Helper()
	return adapterIn(t, buildOnDisk(t, base))
}

func adapterIn(t testing.TB, objects []*unstructured.Unstructured) adapterContainer {
	t.Helper()
	source := decoded[sourcesv1.ContainerSource](t, named(t, objects, "ContainerSource", "gateways"))
	if n := len(source.Spec.Template.Spec.Containers); n != 1 {
		t.Fatalf("the source has %d containers", n)
	}
	return adapterContainer{source.Spec.Template.Spec.Containers[0]}
}

func (a adapterContainer) env(t testing.TB, name string) string {
	t.Helper()
	value, set := environment(a.Container)[name]
	if !set {
		t.Fatalf("the adapter has no %s", name)
	}
	return value
}

func number(t testing.TB, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatalf("read a number: %v", err)
	}
	return n
}

// sourceConfig is what the adapter reads K_SOURCE_CONFIG into. Its own type,
// Config of knative.dev/eventing/pkg/adapter/apiserver, cannot be imported: that
// package does not compile with the client-go in go.mod. So this is a copy of
// what is used here, and TestTheConfigurationHasTheAdaptersOwnFields holds it to
// the adapter's source.
type sourceConfig struct {
	Namespaces    []string        `json:"namespaces"`
	AllNamespaces bool            `json:"allNamespaces"`
	Resources     []resourceWatch `json:"resources"`
	EventMode     string          `json:"mode,omitempty"`
}

type resourceWatch struct {
	GVR           schema.GroupVersionResource `json:"gvr"`
	LabelSelector string                      `json:"selector,omitempty"`
}

func gatewayConfig(t testing.TB) sourceConfig {
	t.Helper()
	return gatewayAdapter(t).config(t)
}

func (a adapterContainer) config(t testing.TB) sourceConfig {
	t.Helper()
	var config sourceConfig
	strict, err := strictjson.UnmarshalStrict([]byte(a.env(t, "K_SOURCE_CONFIG")), &config)
	if err != nil || len(strict) > 0 {
		t.Fatalf("read K_SOURCE_CONFIG: %v %v", err, strict)
	}
	return config
}

func TestTheGatewayAdapterWatchesAllGateways(t *testing.T) {
	want := sourceConfig{
		Namespaces:    []string{""},
		AllNamespaces: true,
		Resources: []resourceWatch{
			{GVR: schema.GroupVersionResource{Group: "gateway.networking.k8s.io", Version: "v1", Resource: "gateways"}},
		},
		EventMode: sourcesv1.ResourceMode,
	}
	got := gatewayConfig(t)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("configuration is %+v, want %+v", got, want)
	}
	serves := served(watchedCRDs(t))
	for _, watch := range got.Resources {
		if !serves[watch.GVR] {
			t.Errorf("no CRD serves %s: the adapter would skip it and stay silent", watch.GVR)
		}
	}
}

func TestTheConfigurationHasTheAdaptersOwnFields(t *testing.T) {
	file := filepath.Join(moduleDir(t, eventingModule), "pkg", "adapter", "apiserver", "config.go")
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatalf("parse the adapter's configuration: %v", err)
	}
	for name, ours := range map[string]reflect.Type{
		"Config":        reflect.TypeFor[sourceConfig](),
		"ResourceWatch": reflect.TypeFor[resourceWatch](),
	} {
		theirs := fieldsOf(parsed, name)
		if len(theirs) == 0 {
			t.Errorf("the adapter has no type %s any more", name)
		}
		for field := range ours.Fields() {
			if want := field.Name + " " + field.Tag.Get("json"); !slices.Contains(theirs, want) {
				t.Errorf("%s has the fields %q and not %q", name, theirs, want)
			}
		}
	}
}

// fieldsOf lists a struct's fields as "Name json-tag".
func fieldsOf(file *ast.File, name string) []string {
	var fields []string
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.TypeSpec)
		if !ok || spec.Name.Name != name {
			return true
		}
		for _, field := range spec.Type.(*ast.StructType).Fields.List {
			tag, _ := strconv.Unquote(field.Tag.Value)
			for _, ident := range field.Names {
				fields = append(fields, ident.Name+" "+reflect.StructTag(tag).Get("json"))
			}
		}
		return false
	})
	return fields
}

// A variable with a spelling of its own would be left unread, without a word.
func TestTheAdapterReadsEveryVariable(t *testing.T) {
	read := []string{
		"K_SOURCE_CONFIG",  // adapter/apiserver, envConfig
		"SYSTEM_NAMESPACE", // knative.dev/pkg/system
	}
	for field := range reflect.TypeFor[adapter.EnvConfig]().Fields() {
		if name := field.Tag.Get("envconfig"); name != "" {
			read = append(read, name)
		}
	}
	for name := range environment(gatewayAdapter(t).Container) {
		if !slices.Contains(read, name) {
			t.Errorf("%s is set, the adapter reads %s", name, strings.Join(read, ", "))
		}
	}
}

func TestTheAdapterIsToldWhatItCannotStartWithout(t *testing.T) {
	container := gatewayAdapter(t)
	if got := container.env(t, adapter.EnvConfigName); got != "gateways" {
		t.Errorf("%s is %q, not the source's", adapter.EnvConfigName, got)
	}
	for _, variable := range container.Env {
		switch variable.Name {
		case adapter.EnvConfigNamespace, "SYSTEM_NAMESPACE":
			if variable.ValueFrom == nil || variable.ValueFrom.FieldRef == nil || variable.ValueFrom.FieldRef.FieldPath != "metadata.namespace" {
				t.Errorf("%s is not the pod's namespace: %+v", variable.Name, variable)
			}
		case adapter.EnvConfigLoggingConfig, adapter.EnvConfigObservabilityConfig:
			if err := json.Unmarshal([]byte(variable.Value), &map[string]any{}); err != nil {
				t.Errorf("%s is not an object: %v", variable.Name, err)
			}
		}
	}
	container.env(t, adapter.EnvConfigNamespace)
	container.env(t, "SYSTEM_NAMESPACE")
}

// What is left out Kubernetes fills in in the Deployment, and Knative takes that for
// a change: test/knative shows it.
func TestTheProbesOfTheGatewayAdapterLeaveNoNumberToTheAPIServer(t *testing.T) {
	container := gatewayAdapter(t)
	for name, probe := range map[string]*corev1.Probe{"readiness": container.ReadinessProbe, "liveness": container.LivenessProbe} {
		if probe.TimeoutSeconds == 0 || probe.PeriodSeconds == 0 || probe.SuccessThreshold == 0 || probe.FailureThreshold == 0 {
			t.Errorf("the %s probe leaves out a number: %+v", name, probe)
		}
	}
}
