package outcomes_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.opentelemetry.io/otel/trace"

	"gateway-cert-operator.io/gateway-cert-handler/handler/outcomes"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

const schemaFile = "../../docs/outcome.schema.json"

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// judge holds data to the schema.
func judge(t *testing.T, schema *jsonschema.Schema, data []byte) error {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(value)
}

// tellable has an outcome of each verdict that is told, with everything on it
// that may be.
var tellable = map[string]reconcile.Outcome{
	"Patched": outcome(patched, rejecting(taken, plan.Finding{Reason: plan.ReasonMalformedAnnotation, Message: "it cannot be read"}),
		func(o *reconcile.Outcome) {
			o.Plan.Changes = []plan.Change{
				added,
				{Action: plan.Added, Listener: "l", Hostname: "h", Certificate: shop, Restored: true},
				{Action: plan.Changed, Listener: "l", Hostname: "h", Certificate: shop, Fields: []string{"port", "tls.mode"}},
				{Action: plan.Removed, Listener: "l", Certificate: shop},
			}
			o.Notes = []plan.Finding{{Reason: plan.ReasonSharedSecret, Certificate: shop, Listener: "l", Message: "one Secret"}}
		}),
	"DryRun":           outcome(trying(added, changed("tls.options"), changed("port")), rejecting(taken)),
	"Unchanged":        outcome(rejecting(taken)),
	"Paused":           outcome(paused, rejecting(taken)),
	"GatewayMissing":   outcome(missing),
	"Refused":          outcome(failing(reconcile.Refused, "no"), rejecting(taken)),
	"TryAgain":         outcome(failing(reconcile.TryAgain, "no")),
	"TryAgain, no run": outcome(swept, failing(reconcile.TryAgain, "no")),
	"cut": outcome(patched, rejecting(many(200)...), func(o *reconcile.Outcome) {
		o.Notes, o.Plan.Changes = many(200), slices.Repeat([]plan.Change{added}, 100)
	}),
}

func TestTheSchemaAllowsTheDataOfEveryVerdict(t *testing.T) {
	schema := compiled(t)
	for name, o := range tellable {
		if err := judge(t, schema, eventOf(t, o, cause).Data()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheSchemaRefusesWhatIsNotItsOwn(t *testing.T) {
	schema := compiled(t)
	for name, mutate := range map[string]func(map[string]any){
		"an unknown field":                func(d map[string]any) { d["hostname"] = "x" },
		"an unknown field of the Gateway": func(d map[string]any) { d["gateway"].(map[string]any)["uid"] = "x" },
		"an unknown field of a change":    func(d map[string]any) { d["changes"].([]any)[0].(map[string]any)["port"] = 443 },
		"an unknown field of a rejection": func(d map[string]any) { d["rejections"].([]any)[0].(map[string]any)["key"] = "x" },
		"an impact that is none of four":  func(d map[string]any) { d["impact"] = "Large" },
		"no impact":                       func(d map[string]any) { delete(d, "impact") },
		"a verdict that is never told":    func(d map[string]any) { d["verdict"] = "Covered" },
		"a success with an error":         func(d map[string]any) { d["error"] = "no" },
		"a failure without an error":      func(d map[string]any) { d["verdict"] = "TryAgain" },
		"no Gateway":                      func(d map[string]any) { delete(d, "gateway") },
	} {
		var data map[string]any
		if err := json.Unmarshal(eventOf(t, tellable["Patched"], cause).Data(), &data); err != nil {
			t.Fatal(err)
		}
		mutate(data)
		text, err := json.Marshal(data)
		if err != nil {
			t.Fatal(err)
		}
		if judge(t, schema, text) == nil {
			t.Errorf("%s is allowed", name)
		}
	}
}

// node is a JSON Schema as far as these tests read it.
type node struct {
	ID                   string          `json:"$id"`
	Ref                  string          `json:"$ref"`
	Defs                 map[string]node `json:"$defs"`
	Enum                 []string        `json:"enum"`
	Properties           map[string]node `json:"properties"`
	Required             []string        `json:"required"`
	AdditionalProperties *bool           `json:"additionalProperties"`
	Items                *node           `json:"items"`
	MaxItems             int             `json:"maxItems"`
	MaxLength            int             `json:"maxLength"`
}

func schemaAsWritten(t *testing.T) node {
	t.Helper()
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var root node
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	return root
}

func (root node) resolve(n node) node {
	if name, ok := strings.CutPrefix(n.Ref, "#/$defs/"); ok {
		return root.Defs[name]
	}
	return n
}

func TestTheSchemaAndTheGoTypesHaveTheSameFields(t *testing.T) {
	root := schemaAsWritten(t)
	compareFields(t, root, root, reflect.TypeFor[outcomes.Data]())
}

func compareFields(t *testing.T, root, n node, of reflect.Type) {
	t.Helper()
	var fields, required []string
	for field := range of.Fields() {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		fields = append(fields, name)
		if options != "omitempty" {
			required = append(required, name)
		}
		below, property := field.Type, root.resolve(n.Properties[name])
		if below.Kind() == reflect.Slice && property.Items != nil {
			below, property = below.Elem(), root.resolve(*property.Items)
		}
		if below.Kind() == reflect.Struct {
			compareFields(t, root, property, below)
		}
	}
	slices.Sort(fields)
	slices.Sort(required)
	if diff := cmp.Diff(fields, slices.Sorted(maps.Keys(n.Properties))); diff != "" {
		t.Errorf("fields of %s (-Go +schema):\n%s", of, diff)
	}
	if diff := cmp.Diff(required, slices.Sorted(slices.Values(n.Required))); diff != "" {
		t.Errorf("fields of %s that are always there (-Go +schema):\n%s", of, diff)
	}
	if n.AdditionalProperties == nil || *n.AdditionalProperties {
		t.Errorf("the schema allows further fields of %s", of)
	}
}

func TestTheEventsNameTheirSchema(t *testing.T) {
	if id := schemaAsWritten(t).ID; id != outcomes.Schema {
		t.Errorf("the schema's $id is %s, the events' dataschema %s", id, outcomes.Schema)
	}
}

func TestTheSchemaStatesTheBoundsThatHold(t *testing.T) {
	root := schemaAsWritten(t)
	data := dataOf(t, eventOf(t, outcome(patched, rejecting(slices.Repeat([]plan.Finding{taken}, 100)...), func(o *reconcile.Outcome) {
		o.Plan.Changes, o.Notes = slices.Repeat([]plan.Change{added}, 100), slices.Repeat([]plan.Finding{taken}, 100)
	}), cause))
	for list, got := range map[string]int{"changes": len(data.Changes), "rejections": len(data.Rejections), "notes": len(data.Notes)} {
		if want := root.Properties[list].MaxItems; got != want {
			t.Errorf("%d %s, the schema allows %d", got, list, want)
		}
	}
	planned := dataOf(t, eventOf(t, outcome(trying(slices.Repeat([]plan.Change{added}, 100)...)), cause)).Planned
	if want := root.Properties["planned"].MaxItems; len(planned) != want {
		t.Errorf("%d planned, the schema allows %d", len(planned), want)
	}
	if got := dataOf(t, eventOf(t, outcome(failing(reconcile.TryAgain, strings.Repeat("x", 1000))), cause)); len([]byte(got.Error)) != root.Properties["error"].MaxLength {
		t.Errorf("an error of %d bytes, the schema allows %d characters", len(got.Error), root.Properties["error"].MaxLength)
	}
}

const page = "../../docs/outcomes.md"

func TestTheExampleOnThePageFitsTheSchema(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(text), "```json\n")
	example, _, _ = strings.Cut(example, "```")
	if err := judge(t, compiled(t), []byte(example)); err != nil {
		t.Error(err)
	}
}

func TestThePageListsTheAttributesOfAnEvent(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "## Attributes")
	table, _, _ = strings.Cut(table, "\n## ")
	var listed []string
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*?`) \\|").FindAllStringSubmatch(table, -1) {
		for name := range strings.SplitSeq(row[1], ", ") {
			listed = append(listed, strings.Trim(name, "`"))
		}
	}
	state, err := trace.ParseTraceState("vendor=1")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := eventOf(t, outcome(patched, func(o *reconcile.Outcome) { o.RunSpan = runSpan.WithTraceState(state) }), cause).MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	var sent map[string]any
	if err := json.Unmarshal(whole, &sent); err != nil {
		t.Fatal(err)
	}
	maps.DeleteFunc(sent, func(name string, _ any) bool { return slices.Contains([]string{"specversion", "type", "data"}, name) })
	slices.Sort(listed)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(sent)), listed); diff != "" {
		t.Errorf("attributes (-sent +listed):\n%s", diff)
	}
}
