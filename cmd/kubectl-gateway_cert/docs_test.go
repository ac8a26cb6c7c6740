package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
