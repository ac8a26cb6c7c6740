package config_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// answer is a language of four words.
type answer string

func (a answer) Met(plan.Candidate) (bool, uint64, error) {
	if a == "unknown" {
		return false, 1, errors.New("no such key:\n team " + strings.Repeat("t", 300))
	}
	return a == "yes", 1, nil
}

func compile(expression string) (config.Condition, error) {
	if expression == "nonsense" {
		return nil, errors.New("line 1, column 1: what is that")
	}
	return answer(expression), nil
}

var withRules = config.WithRules(compile)

const oneRule = header + "rules:\n- {name: ours, expression: %q, message: only ours}\n"

func judged(t *testing.T, text string) string {
	t.Helper()
	loaded, err := config.Load(file(t, text), withRules)
	if err != nil {
		t.Fatal(err)
	}
	return loaded.GatewayDefaults().Rules.Judge(plan.Candidate{Certificate: &certmanagerv1.Certificate{}, Gateway: &gatewayv1.Gateway{ObjectMeta: metav1.ObjectMeta{Name: "a"}}}).Why
}

func TestARuleThatIsNotMetIsToldByNameAndMessage(t *testing.T) {
	for expression, want := range map[string]string{
		"yes":     "",
		"no":      "rule ours: only ours",
		"unknown": "rule ours: only ours (it cannot be judged, which counts as not met: no such key: team " + strings.Repeat("t", 256-len("no such key: team ")) + ")",
	} {
		if got := judged(t, fmt.Sprintf(oneRule, expression)); got != want {
			t.Errorf("%s: judged %q, want %q", expression, got, want)
		}
	}
}

func TestTheFirstRuleThatIsNotMetIsTold(t *testing.T) {
	got := judged(t, header+`rules:
- {name: a, expression: "yes", message: a}
- {name: b, expression: "no", message: b}
- {name: c, expression: "no", message: c}
`)
	if got != "rule b: b" {
		t.Errorf("judged %q, want rule b's words", got)
	}
}

func TestWithoutRulesThereIsNothingToAsk(t *testing.T) {
	for _, text := range []string{"", "rules: []\n"} {
		loaded, err := config.Load(file(t, header+text))
		if err != nil || loaded.GatewayDefaults().Rules != nil {
			t.Errorf("%q: rules are %v, %v; want none", text, loaded.GatewayDefaults().Rules, err)
		}
	}
}

func TestABuildWithoutRulesSaysWhichBuildHasThem(t *testing.T) {
	_, err := config.Load(file(t, fmt.Sprintf(oneRule, "yes")))
	if err == nil || !strings.Contains(err.Error(), "make build RULES=1") || strings.Contains(err.Error(), "\n") {
		t.Errorf("Load = %v, want one line that names the other build", err)
	}
}

func TestRulesThatCannotBeTakenAreErrorsThatNameTheEntry(t *testing.T) {
	with := func(key, value string) string {
		keys := map[string]string{"name": "ours", "expression": "'yes'", "message": "only ours"}
		keys[key] = value
		var said []string
		for key, value := range keys {
			said = append(said, key+": "+value)
		}
		return "[{" + strings.Join(said, ", ") + "}]"
	}
	const other = "{name: other, expression: 'yes', message: m}"
	for name, tc := range map[string]struct{ value, says string }{
		"left open":                 {"", "rules: Required value: it is left open"},
		"an entry left open":        {"[null]", "rules[0].name: Invalid value"},
		"an unknown key":            {with("deny", "true"), "rules[0].deny: unknown key"},
		"no list":                   {"{}", "rules"},
		"no name":                   {with("name", "''"), "rules[0].name: Invalid value"},
		"a name of words":           {with("name", "no wildcards"), "rules[0].name: Invalid value"},
		"a name twice":              {"[" + other + ", " + other + "]", `rules[1].name: Duplicate value: "other"`},
		"no expression":             {with("expression", "' '"), "rules[0].expression: Required value"},
		"an expression of 5 kB":     {with("expression", strings.Repeat("x", 5<<10)), "rules[0].expression: Too long"},
		"nonsense":                  {with("expression", "nonsense"), `rules[0].expression: Invalid value: "nonsense": line 1, column 1: what is that`},
		"no message":                {with("message", "''"), "rules[0].message: Invalid value"},
		"a message of two lines":    {with("message", `"a\nb"`), "rules[0].message: Invalid value"},
		"a message that is a novel": {with("message", strings.Repeat("x", 257)), "rules[0].message: Invalid value"},
		"too many":                  {"[" + strings.Repeat(other+", ", 33) + "]", "rules: Too many: 33"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := config.Load(file(t, header+"rules: "+tc.value+"\n"), withRules)
			if err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("Load = %v, want an error that says %q", err, tc.says)
			}
		})
	}
}

func TestEachFaultOfRulesIsTold(t *testing.T) {
	_, err := config.Load(file(t, header+"rules: [{name: A, expression: nonsense, message: m}, {name: b}]\n"), withRules)
	for _, want := range []string{"rules[0].name", "rules[0].expression", "rules[1].expression", "rules[1].message"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Load = %v, want it to name %s", err, want)
		}
	}
}
