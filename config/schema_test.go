package config_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	reflector "github.com/invopop/jsonschema"
	"github.com/santhosh-tekuri/jsonschema/v6"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
	"sigs.k8s.io/yaml"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/test/golden"
)

const (
	schemaFile = "../docs/settings.schema.json"
	// schemaID names a version and need not be reachable.
	schemaID = "https://gateway-cert-operator.io/schemas/handlerconfig.v1alpha1.json"
)

func TestTheSchemaSaysWhatTheGoTypesSay(t *testing.T) {
	golden.Check(t, filepath.Join("..", schemaFile), generated(t))
}

func generated(t *testing.T) string {
	t.Helper()
	// In one piece: editors that know older drafts pass over what stands beside a
	// reference.
	r := reflector.Reflector{DoNotReference: true, Mapper: wholeObjects}
	if err := r.AddGoComments("gateway-cert-operator.io/gateway-cert-handler/config", "./"); err != nil {
		t.Fatal(err)
	}
	for of, comment := range r.CommentMap {
		r.CommentMap[of] = strings.Join(strings.Fields(comment), " ")
	}
	schema := r.Reflect(config.HandlerConfig{})
	schema.ID = schemaID
	schema.Title = "Settings of the gateway-cert-handler"
	text, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + "\n"
}

// wholeObjects leaves out what Gateways and Certificates hold: that is for their own
// schemas to say.
func wholeObjects(of reflect.Type) *reflector.Schema {
	switch of {
	case reflect.TypeFor[gatewayv1.Gateway](), reflect.TypeFor[certmanagerv1.Certificate]():
		return &reflector.Schema{Type: "object"}
	}
	return nil
}

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	compiled, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// fits holds settings to the schema as an editor does.
func fits(t *testing.T, schema *jsonschema.Schema, settings string) error {
	t.Helper()
	asJSON, err := yaml.YAMLToJSONStrict([]byte(settings))
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(value)
}

// examples are all settings that the repository shows to people, by their place.
func examples(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, path := range glob(t, "../knative/examples/*/config.yaml") {
		found[path] = contents(t, path)
	}
	block := regexp.MustCompile("(?s)```yaml\n(.*?)```")
	for _, path := range append(glob(t, "../docs/*.md"), "../README.md") {
		for _, match := range block.FindAllStringSubmatch(contents(t, path), -1) {
			if strings.Contains(match[1], "kind: HandlerConfig") {
				found[path+": "+match[1]] = match[1]
			}
		}
	}
	return found
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %d files, %v", pattern, len(paths), err)
	}
	return paths
}

func contents(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTheExamplesFitTheSchemaAndAreValid(t *testing.T) {
	compiled := schema(t)
	all := examples(t)
	if len(all) < 11 {
		t.Errorf("found %d examples, want those of knative/examples and of docs", len(all))
	}
	for place, text := range all {
		if err := fits(t, compiled, text); err != nil {
			t.Errorf("%s: %v", place, err)
		}
		if faults := told(t, text); faults != nil {
			t.Errorf("%s: %q", place, faults)
		}
	}
}

// An editor must not call wrong what the handler takes, nor the other way about
// where a schema can tell.
func TestTheSchemaAndTheHandlerAgree(t *testing.T) {
	compiled := schema(t)
	for settings, valid := range map[string]bool{
		everyKey: true, withAuthentication: true, withTrust: true,
		header + "defaults: {certificateNamespaces: 'Selector: a=b', allowedRoutes: CertificateNamespace, listenerPort: 65535, maxListeners: 0}\n": true,
		header + "delivery: {sweepOnStart: false, maxGatherPause: 1.5s, ordersVersions: true}\noutcomes: {reply: true}\n":                          true,
		header + "telemetry: {minTLSVersion: '1.2', oauth2: {tokenURL: https://a/b, clientID: a, clientSecretFile: /a}}\n":                         true,

		"kind: HandlerConfig\n":                                               false,
		strings.Replace(header, "v1alpha1", "v1", 1):                          false,
		strings.Replace(header, "HandlerConfig", "ConfigMap", 1):              false,
		header + "x: 1\n":                                                     false,
		header + "defaults: {Attach: Always}\n":                               false,
		header + "defaults: {attach: Never}\n":                                false,
		header + "defaults: {certificateNamespaces: None}\n":                  false,
		header + "defaults: {allowedRoutes: 'Selector:'}\n":                   false,
		header + "defaults: {listenerPort: 0}\n":                              false,
		header + "defaults: {listenerPort: 65536}\n":                          false,
		header + "defaults: {listenerPort: '443'}\n":                          false,
		header + "defaults: {maxListeners: -1}\n":                             false,
		header + "delivery: {maxGatherPause: soon}\n":                         false,
		header + "delivery: {sweepOnStart: 'false'}\n":                        false,
		header + "trust: {files: [ca.crt]}\n":                                 false,
		header + "trust: {configMaps: [{name: a}]}\n":                         false,
		header + "trust: {configMaps: [{name: A, key: a}]}\n":                 false,
		header + "trust: {configMaps: [{name: a, key: a/b}]}\n":               false,
		header + "telemetry: {minTLSVersion: 1.3}\n":                          false,
		header + "telemetry: {minTLSVersion: '1.1'}\n":                        false,
		header + "telemetry: {oauth2: {clientID: a, clientSecretFile: /a}}\n": false,
		header + "telemetry: {oauth2: {issuer: https://a, tokenURL: https://a, clientID: a, clientSecretFile: /a}}\n": false,
		header + "telemetry: {oauth2: {issuer: http://a, clientID: a, clientSecretFile: /a}}\n":                       false,
		header + "telemetry: {oauth2: {issuer: https://a, clientSecretFile: /a}}\n":                                   false,
		header + "telemetry: {oauth2: {issuer: https://a, clientID: a, clientSecretFile: a}}\n":                       false,
		header + "telemetry: {oauth2: {issuer: https://a, clientID: a, clientSecretFile: /a, grant: X}}\n":            false,
		header + "authentication: {audience: a}\n":                                                                    false,
		header + "authentication: {audience: a, allowed: []}\n":                                                       false,
		header + "authentication: {audience: a, allowed: ['']}\n":                                                     false,
		header + "authentication: {allowed: [a]}\n":                                                                   false,
		header + "authentication:\n":                                                                                  false,
	} {
		if err := fits(t, compiled, settings); (err == nil) != valid {
			t.Errorf("%s: the schema says %v, want valid: %v", settings, err, valid)
		}
		if faults := told(t, settings); (faults == nil) != valid {
			t.Errorf("%s: the handler says %q, want valid: %v", settings, faults, valid)
		}
	}
}

// property is a JSON Schema as far as these tests read it.
type property struct {
	ID                   string               `json:"$id"`
	Description          string               `json:"description"`
	Properties           map[string]*property `json:"properties"`
	Items                *property            `json:"items"`
	AdditionalProperties json.RawMessage      `json:"additionalProperties"`
}

func TestTheSchemaExplainsEveryKeyAndAllowsNoOther(t *testing.T) {
	var root property
	if err := json.Unmarshal([]byte(contents(t, schemaFile)), &root); err != nil {
		t.Fatal(err)
	}
	var check func(path string, p *property)
	check = func(path string, p *property) {
		if p.Description == "" {
			t.Errorf("%s is not explained", path)
		}
		if p.Properties != nil && (string(p.AdditionalProperties) != "false") {
			t.Errorf("%s allows unknown keys", path)
		}
		for key, below := range p.Properties {
			check(path+"."+key, below)
		}
		if p.Items != nil && p.Items.Properties != nil {
			check(path+"[]", p.Items)
		}
	}
	check("", &root)
}

func TestThePageTellsEditorsWhereTheSchemaIs(t *testing.T) {
	lines := strings.Split(contents(t, "../docs/deploy.md"), "\n")
	modeline := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "# yaml-language-server: $schema=") })
	if modeline < 0 {
		t.Fatal("docs/deploy.md has no modeline")
	}
	_, file, _ := strings.Cut(lines[modeline], "=")
	// It is written for knative/examples/settings.
	if _, err := os.Stat(filepath.Join("../knative/examples/settings", file)); err != nil {
		t.Error(err)
	}
}
