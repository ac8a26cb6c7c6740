package config_test

import (
	"strings"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/config/rules"
)

// tested is settings with a rule and a test that holds under them.
const tested = header + `defaults:
  certificateNamespaces: All
rules:
- name: no-tenant-wildcards
  expression: certificate.namespace == gateway.namespace || !listener.hostname.startsWith('*.')
  message: no wildcards from tenants
tests:
- name: a tenant gets its hostname and no wildcard
  gateway:
    metadata: {namespace: infra, name: edge}
  certificates:
  - metadata: {namespace: team-a, name: app}
    spec: {dnsNames: [app.example.com, "*.app.example.com"]}
  want:
    listeners:
    - {hostname: app.example.com, port: 443}
    refusals:
    - {reason: RuleNotMet, hostname: "*.app.example.com"}
`

func TestSettingsWhoseTestsHoldAreTaken(t *testing.T) {
	loaded, err := config.Load(file(t, tested), config.WithRules(rules.Compile))
	if err != nil || len(loaded.Tests) != 1 || len(loaded.Rules) != 1 {
		t.Errorf("Load = %+v, %v; want one rule and one test", loaded, err)
	}
}

func TestSettingsWhoseTestFailsAreRefusedWithTheDifference(t *testing.T) {
	for change, says := range map[string][]string{
		"startsWith('*.')\x00startsWith('app')": {
			`tests[0].want: "a tenant gets its hostname and no wildcard": the settings do not come to this listener {hostname: app.example.com, port: 443}`,
			`tests[0].want: "a tenant gets its hostname and no wildcard": the settings come to a refusal {reason: RuleNotMet, certificate: team-a/app, hostname: app.example.com}: rule no-tenant-wildcards: no wildcards from tenants`,
		},
		"certificateNamespaces: All\x00certificateNamespaces: Same": {"come to a refusal {reason: NamespaceNotAllowed, certificate: team-a/app}"},
		"port: 443\x00port: 8443":                                   {"come to this listener {hostname: app.example.com, port: 8443}\n", "come to a listener {name: auto-app-app-example-com, "},
	} {
		old, replacement, _ := strings.Cut(change, "\x00")
		_, err := config.Load(file(t, strings.Replace(tested, old, replacement, 1)), config.WithRules(rules.Compile))
		for _, want := range says {
			if err == nil || !strings.Contains(err.Error()+"\n", want) {
				t.Errorf("%s: Load = %v, want an error that says %s", replacement, err, want)
			}
		}
	}
}

func TestTestsThatCannotBeRunAreErrorsThatNameTheEntry(t *testing.T) {
	for value, says := range map[string]string{
		"":                       "tests: Required value: it is left open",
		"{}":                     "tests",
		"[null]":                 "tests[0].name: Required value",
		"[{name: a, wants: {}}]": "tests[0].wants: unknown key",
		"[{name: a, gateway: {spec: {listners: []}}, want: {listeners: []}}]":      "tests[0].gateway.spec.listners: unknown key",
		"[{name: a, certificates: [{spec: {dnsName: a}}], want: {listeners: []}}]": "tests[0].certificates[0].spec.dnsName: unknown key",
		"[{name: a, want: {listeners: [{host: a}]}}]":                              "tests[0].want.listeners[0].host: unknown key",
		"[{name: a, want: {listeners: []}}, {name: a, want: {listeners: []}}]":     `tests[1].name: Duplicate value: "a"`,
		"[" + strings.Repeat("{name: a, want: {listeners: []}}, ", 101) + "]":      "tests: Too many: 101",
	} {
		_, err := config.Load(file(t, header+"tests: "+value+"\n"))
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.80s: Load = %v, want an error that says %s", value, err, says)
		}
	}
}

// What a test finds under settings that are no good would lead astray.
func TestTestsAreRunOnlyUnderSettingsWithoutAFault(t *testing.T) {
	text := strings.Replace(tested, "startsWith", "beginsWith", 1)
	_, err := config.Load(file(t, text), config.WithRules(rules.Compile))
	if err == nil || !strings.Contains(err.Error(), "rules[0].expression") || strings.Contains(err.Error(), "tests[0]") {
		t.Errorf("Load = %v, want the rule's fault alone", err)
	}
}

func TestEachTestThatFailsIsTold(t *testing.T) {
	_, err := config.Load(file(t, header+"tests: [{name: a, want: {listeners: [{port: 1}]}}, {name: b, want: {listeners: []}}, {name: c, want: {listeners: [{port: 1}]}}]\n"))
	if err == nil || !strings.Contains(err.Error(), "tests[0]") || strings.Contains(err.Error(), "tests[1]") || !strings.Contains(err.Error(), "tests[2]") {
		t.Errorf("Load = %v, want tests 0 and 2", err)
	}
}
