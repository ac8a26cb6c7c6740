package main

import (
	"path/filepath"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/explain"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
	"gateway-cert-operator.io/gateway-cert-handler/test/sample"
)

// Whatever the build of the handler: who runs it with rules asks by them.
func TestThePluginJudgesByTheRulesOfTheSettings(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	namespace.Must(t, writeFile(path, `apiVersion: gateway-cert-operator.io/v1alpha1
kind: HandlerConfig
rules:
- {name: no-tenants, expression: certificate.namespace == gateway.namespace, message: only the Gateway's own}
`))
	defaults, err := (&scope{settings: path}).defaults()
	namespace.Must(t, err)
	s := sample.New()
	s.Defaults = defaults
	for _, link := range explain.Certificate(s.View, s.App).Chains[0].Links {
		if link.Step == explain.StepRules && (link.Reason != string(plan.ReasonRuleNotMet) || link.Detail != "rule no-tenants: only the Gateway's own") {
			t.Errorf("the link is %+v, want it broken by the rule", link)
		}
	}
}
