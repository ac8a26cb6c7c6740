package explain_test

import (
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/explain"
	"gateway-cert-operator.io/gateway-cert-handler/test/sample"
)

// chain is that of App's first name.
func chain(s *sample.Cluster) explain.Chain { return explain.Certificate(s.View, s.App).Chains[0] }

// of returns the chain's link of that step.
func of(t *testing.T, c explain.Chain, step explain.Step) explain.Link {
	t.Helper()
	for _, link := range c.Links {
		if link.Step == step {
			return link
		}
	}
	t.Fatalf("the chain has no link %s: %+v", step, c.Links)
	return explain.Link{}
}

func TestAChainHoldsWhereAllIsWell(t *testing.T) {
	c := chain(sample.New())
	if !c.Holds() {
		t.Errorf("broken %q, unknown %q: %+v", c.FirstBroken, c.FirstUnknown, c.Links)
	}
	for _, link := range c.Links {
		if link.State != explain.OK || link.Remedy != "" {
			t.Errorf("link %s is %s: %s, %s", link.Step, link.State, link.Detail, link.Remedy)
		}
	}
}
