package config_test

import (
	"strings"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

func TestTheModeIsThePlanners(t *testing.T) {
	for text, want := range map[string]plan.Mode{
		"": "", "mode: Apply\n": plan.ModeApply, "mode: DryRun\n": plan.ModeDryRun,
	} {
		loaded, err := config.Load(file(t, header+text))
		if err != nil || loaded.GatewayDefaults().Mode != want {
			t.Errorf("%q: mode %q, %v; want %q", text, loaded.GatewayDefaults().Mode, err, want)
		}
	}
}

// Whoever writes the key means to be safe.
func TestAModeThatCannotBeReadIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"mode: dryrun\n":             `mode: Unsupported value: "dryrun"`,
		"mode:\n":                    "mode: Required value: it is left open: write Apply or DryRun",
		"mode: \"\"\n":               "mode: Required value: it is left open: write Apply or DryRun",
		"mode: true\n":               "mode",
		"defaults: {mode: DryRun}\n": `defaults.mode: unknown key`,
	} {
		if _, err := config.Load(file(t, header+text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: Load = %v, want an error that says %s", text, err, want)
		}
	}
}
