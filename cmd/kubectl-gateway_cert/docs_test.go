package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "migrate.md"))
	namespace.Must(t, err)
	return string(text)
}

func TestThePageExplainsEveryState(t *testing.T) {
	text := page(t)
	for state, word := range words {
		if !strings.Contains(text, "`"+word+"`") {
			t.Errorf("docs/migrate.md does not explain %q (%s)", word, state)
		}
	}
}

func TestThePagesSettingsKeepWhatTheOperatorDid(t *testing.T) {
	_, settings, _ := strings.Cut(page(t), "```yaml\n")
	settings, _, _ = strings.Cut(settings, "```")
	path := filepath.Join(t.TempDir(), "config.yaml")
	namespace.Must(t, writeFile(path, settings))
	got, err := config.Load(path)
	namespace.Must(t, err)
	if diff := cmp.Diff(plan.Defaults{CertificateNamespaces: "All", AllowedRoutes: "All"}, got.GatewayDefaults()); diff != "" {
		t.Errorf("defaults (-want +docs/migrate.md):\n%s", diff)
	}
}

func pluginPage(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "plugin.md"))
	namespace.Must(t, err)
	return string(text)
}

// Each output on the page is one that a test holds a command to.
func TestTheOutputsOnThePageAreReal(t *testing.T) {
	files, err := filepath.Glob("*/testdata/*.txt")
	namespace.Must(t, err)
	own, err := filepath.Glob("testdata/*.txt")
	namespace.Must(t, err)
	held := map[string]string{}
	for _, file := range append(files, own...) {
		text, err := os.ReadFile(file)
		namespace.Must(t, err)
		held[string(text)] = file
	}
	shown := regexp.MustCompile("(?s)```text\n(.*?)```").FindAllStringSubmatch(pluginPage(t), -1)
	if len(shown) != 5 {
		t.Errorf("the page shows %d outputs, want one each of plan, explain, tree, sweep and replay", len(shown))
	}
	for _, output := range shown {
		if held[output[1]] == "" {
			t.Errorf("no test holds a command to\n%s", output[1])
		}
	}
}

// A command on a page must be one that the plugin knows, with its flags.
func TestTheCommandsOnThePagesCanBeTyped(t *testing.T) {
	typed := regexp.MustCompile(`(?m)^ *kubectl gateway-cert (.*)$`)
	for _, file := range []string{"plugin.md", "troubleshooting.md", "migrate.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "docs", file))
		namespace.Must(t, err)
		commands := typed.FindAllStringSubmatch(string(text), -1)
		if len(commands) == 0 {
			t.Errorf("docs/%s has no command", file)
		}
		for _, line := range commands {
			checkTyped(t, strings.Fields(line[1]))
		}
	}
}

// checkTyped parses a command line without running it.
func checkTyped(t *testing.T, words []string) {
	t.Helper()
	if words[0] == "--help" {
		return
	}
	found, rest, err := newRoot(genericiooptions.NewTestIOStreamsDiscard()).Find(words)
	if err != nil || !found.HasParent() {
		t.Errorf("%q is no command: %v", words, err)
		return
	}
	if err := found.ParseFlags(rest); err != nil {
		t.Errorf("%q: %v", words, err)
	}
	if err := found.ValidateArgs(found.Flags().Args()); err != nil {
		t.Errorf("%q: %v", words, err)
	}
}

// The page says how to lead a port to the handler as the plugin does.
func TestThePageSaysHowToReachTheHandler(t *testing.T) {
	_, advice, _ := strings.Cut(howToReach, "  kubectl -n gateway-cert port-forward")
	advice, _, _ = strings.Cut(advice, "\n\n")
	if want := "port-forward" + strings.ReplaceAll(advice, "\n    ", "\n  "); !strings.Contains(pluginPage(t), want) {
		t.Errorf("docs/plugin.md lacks\n%s", want)
	}
}
