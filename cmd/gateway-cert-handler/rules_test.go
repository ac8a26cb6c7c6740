package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const ruled = `apiVersion: gateway-cert-operator.io/v1alpha1
kind: HandlerConfig
rules:
- {name: known-ports, expression: "listener.port in [443, 8443]", message: only 443 and 8443}
`

func ruledFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(ruled), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// One build has rules, and the other says so; make test runs both.
func TestRulesAreTakenByTheBuildThatHasThem(t *testing.T) {
	settings, err := settingsSource{file: ruledFile(t)}.load()
	if settingsOptions == nil {
		if err == nil || !strings.Contains(err.Error(), "make build RULES=1") {
			t.Errorf("load = %v, want an error that names the other build", err)
		}
		return
	}
	if err != nil || settings.GatewayDefaults().Rules == nil {
		t.Errorf("rules are %v, %v", settings.GatewayDefaults().Rules, err)
	}
}
