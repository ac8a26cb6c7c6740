package config_test

import (
	"strings"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/config"
)

// Whatever somebody writes for rules and tests, with whatever is legal in a Gateway
// or is not: settings are taken or refused.
func FuzzRulesAndTests(f *testing.F) {
	_, keys, _ := strings.Cut(tested, header)
	f.Add(keys)
	f.Add("rules: [{name: a, expression: 'yes', message: m}]\ntests: [{name: a, want: {refusals: []}}]\n")
	f.Add(`tests:
- name: everything
  gateway:
    metadata:
      annotations: {gateway-cert-operator.io/listeners: '{"a":"default/a"}', gateway-cert-operator.io/max-listeners: "1"}
    spec: {listeners: [{name: a, tls: {certificateRefs: [{name: a}]}}, {}, {name: a, hostname: a.com, port: 443, protocol: TLS}]}
  namespaces: {default: {annotations: {gateway-cert-operator.io/allowed-hostnames: "*"}}, "": {}}
  certificates:
  - {metadata: {name: a, ownerReferences: [{}]}, spec: {dnsNames: [a.com, "*", ""]}, status: {revision: 1}}
  - {metadata: {name: b, namespace: x/y, deletionTimestamp: null}, spec: {secretName: A}}
  want: {listeners: [{port: -1}], refusals: [{hostname: "*"}]}
`)
	f.Fuzz(func(t *testing.T, keys string) {
		loaded, err := config.Load(file(t, header+keys), withRules)
		if err != nil {
			return
		}
		for _, test := range loaded.Tests {
			if diff := test.Diff(loaded.GatewayDefaults()); diff != "" {
				t.Errorf("taken, and a test fails:\n%s", diff)
			}
		}
	})
}
