package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// header is what every settings file begins with.
const header = "apiVersion: gateway-cert-operator.io/v1alpha1\nkind: HandlerConfig\n"

func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "settings.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const everyKey = header + `defaults:
  certificateNamespaces: All
  allowedHostnames: "shop.example.com, *.example.org"
  allowedRoutes: Same
  listenerPort: 8443
  maxListeners: 20
  attach: WhenReady
`

func TestSettingsBecomeDefaults(t *testing.T) {
	all := plan.Defaults{
		CertificateNamespaces: "All",
		AllowedHostnames:      "shop.example.com, *.example.org",
		AllowedRoutes:         "Same",
		ListenerPort:          "8443",
		MaxListeners:          "20",
		Attach:                "WhenReady",
	}
	for name, tc := range map[string]struct {
		text string
		want plan.Defaults
	}{
		"every key":          {everyKey, all},
		"one key":            {header + "defaults:\n  listenerPort: 8443\n", plan.Defaults{ListenerPort: "8443"}},
		"no defaults":        {header, plan.Defaults{}},
		"defaults left open": {header + "defaults:\n", plan.Defaults{}},
		"between markers":    {"# ours\n---\n" + header + "---\n# the end\n...\n", plan.Defaults{}},
		"a byte order mark":  {"\ufeff# ours\n---\n" + header, plan.Defaults{}},
		"lines of Windows":   {strings.ReplaceAll("---\n"+everyKey, "\n", "\r\n"), all},
		"JSON":               {`{"apiVersion":"gateway-cert-operator.io/v1alpha1","kind":"HandlerConfig","defaults":{"attach":"Always"}}`, plan.Defaults{Attach: "Always"}},
	} {
		t.Run(name, func(t *testing.T) {
			loaded, err := config.Load(file(t, tc.text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, loaded.GatewayDefaults()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWithoutAFileTheContractsDefaultsHold(t *testing.T) {
	if got := (config.HandlerConfig{}).GatewayDefaults(); got != (plan.Defaults{}) {
		t.Errorf("defaults are %+v", got)
	}
}

// A number that somebody wrote is never taken for one that is not there.
func TestAZeroIsHandedOn(t *testing.T) {
	zero := 0
	got := config.HandlerConfig{Defaults: config.Defaults{ListenerPort: &zero, MaxListeners: &zero}}.GatewayDefaults()
	if got.ListenerPort != "0" || got.MaxListeners != "0" {
		t.Errorf("defaults are %+v", got)
	}
}

func TestWhatCannotBeObeyedIsAnErrorThatNamesFileAndKey(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		says []string
	}{
		"empty":                         {"", []string{"nothing in it", "kind: HandlerConfig"}},
		"comments only":                 {"# later\n---\n  # much later\n", []string{"nothing in it"}},
		"not YAML":                      {header + "defaults: [\n", []string{"settings.yaml:3: not YAML: "}},
		"not a mapping":                 {"- " + header[:10] + "\n", []string{"settings.yaml:1:1: want a mapping, got a list"}},
		"another version":               {strings.Replace(header, "v1alpha1", "v2", 1), []string{`apiVersion: Unsupported value: "gateway-cert-operator.io/v2"`, "gateway-cert-operator.io/v1alpha1"}},
		"another kind":                  {strings.Replace(header, "HandlerConfig", "ConfigMap", 1), []string{`kind: Unsupported value: "ConfigMap"`, `"HandlerConfig"`}},
		"neither version nor kind":      {"defaults: {}\n", []string{"apiVersion: Required value: write gateway-cert-operator.io/v1alpha1", "kind: Required value: write HandlerConfig"}},
		"unknown keys":                  {header + "x: 1\ndefaults:\n  listenrPort: 1\n", []string{"x: unknown key", "defaults.listenrPort: unknown key"}},
		"a key in another letter case":  {header + "Defaults: {}\n", []string{"Defaults: unknown key"}},
		"a key twice":                   {header + "defaults:\n  attach: Always\n  attach: WhenReady\n", []string{":5:3: defaults.attach: ", "line 4"}},
		"a key twice, once in capitals": {header + "defaults:\n  attach: Always\n  Attach: WhenReady\n", []string{"defaults.Attach: unknown key"}},
		"a number as text":              {header + "defaults:\n  listenerPort: \"8443\"\n", []string{"defaults.listenerPort"}},
		"a number that is no integer":   {header + "defaults:\n  maxListeners: 1.5\n", []string{"defaults.maxListeners"}},
		"text that YAML takes for a boolean": {
			header + "defaults:\n  attach: yes\n", []string{"defaults.attach"}},
		"everything at once":             {"kind: x\nfirst: 1\nsecond: 1\n", []string{"apiVersion: Required", "kind: Unsupported", "first: unknown", "second: unknown"}},
		"two documents":                  {header + "---\n" + header, []string{"several YAML documents"}},
		"two documents, the first ended": {header + "...\n" + header, []string{"several YAML documents"}},
		"more than 1 MiB":                {header + strings.Repeat("#", 1<<20), []string{"1 MiB"}},
	} {
		t.Run(name, func(t *testing.T) {
			path := file(t, tc.text)
			loaded, err := config.Load(path)
			if err == nil {
				t.Fatalf("loaded as %+v", loaded)
			}
			for _, want := range append(tc.says, path) {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("the error %q does not say %s", err, want)
				}
			}
		})
	}
}

func TestAFileThatIsNotThereIsNamed(t *testing.T) {
	for name, path := range map[string]string{
		"no file":     filepath.Join(t.TempDir(), "missing.yaml"),
		"a directory": t.TempDir(),
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := config.Load(path); err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("Load = %v, want an error that names %s", err, path)
			}
		})
	}
}

// The planner alone knows what values mean.
func TestDefaultsThatThePlannerRefusesAreRefused(t *testing.T) {
	for _, defaults := range []plan.Defaults{
		{Attach: "Never"}, {CertificateNamespaces: "None"}, {Attach: "Always"},
	} {
		path := file(t, header+"defaults: {attach: '"+defaults.Attach+"', certificateNamespaces: '"+defaults.CertificateNamespaces+"'}\n")
		refused := defaults.Validate(field.NewPath("defaults"))
		_, err := config.Load(path)
		if (len(refused) == 0) != (err == nil) {
			t.Errorf("Load = %v, the planner says %v", err, refused)
		}
		for _, fault := range refused {
			if err != nil && !strings.Contains(err.Error(), ": "+fault.Error()) {
				t.Errorf("Load = %v, want it to say %v", err, fault)
			}
		}
	}
}
