package config_test

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/config/policytest"
	"gateway-cert-operator.io/gateway-cert-handler/config/rules"
)

func settingsPage(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../docs/settings.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// between returns what stands between two texts for the first time.
func between(t *testing.T, page, begin, end string) string {
	t.Helper()
	_, rest, found := strings.Cut(page, begin)
	text, _, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("docs/settings.md has nothing between %q and %q", begin, end)
	}
	return text
}

func TestTheSettingsOnThePageAreTaken(t *testing.T) {
	example := between(t, settingsPage(t), "```yaml\n", "```")
	loaded, err := config.Load(file(t, example), config.WithRules(rules.Compile))
	if err != nil || len(loaded.Rules) != 3 || len(loaded.Tests) != 2 {
		t.Errorf("%d rules and %d tests, %v; want 3 and 2", len(loaded.Rules), len(loaded.Tests), err)
	}
}

func TestTheFailureOnThePageIsReal(t *testing.T) {
	text := settingsPage(t)
	example := between(t, text, "```yaml\n", "```")
	path := file(t, strings.Replace(example, "certificateNamespaces: All\n", "certificateNamespaces: All\n  listenerPort: 8443\n", 1))
	_, err := config.Load(path, config.WithRules(rules.Compile))
	if err == nil {
		t.Fatal("taken")
	}
	want := between(t, text, "```text\n", "```")
	if diff := cmp.Diff(want, strings.ReplaceAll(err.Error(), path, "config.yaml")+"\n"); diff != "" {
		t.Errorf("the failure (-page +real):\n%s", diff)
	}
}

func TestThePageListsTheKeysOfRulesAndTests(t *testing.T) {
	for heading, entry := range map[string]reflect.Type{
		"\n## Rules\n": reflect.TypeFor[config.Rule](), "\n## Tests\n": reflect.TypeFor[policytest.Test](),
	} {
		var keys, listed []string
		for field := range entry.Fields() {
			key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			keys = append(keys, key)
		}
		table := between(t, between(t, settingsPage(t)+"\n## ", heading, "\n## "), "| key of an entry |", "\n\n")
		for _, row := range regexp.MustCompile("(?m)^\\| `([A-Za-z]+)` ").FindAllStringSubmatch(table, -1) {
			listed = append(listed, row[1])
		}
		if diff := cmp.Diff(keys, listed); diff != "" {
			t.Errorf("%s (-code +docs/settings.md):\n%s", heading, diff)
		}
	}
}
