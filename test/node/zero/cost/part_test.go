package cost

import (
	"os"
	"slices"
	"testing"

	"sigs.k8s.io/yaml"
)

func TestPodsAreToldApartByTheirNames(t *testing.T) {
	for _, c := range []struct {
		namespace, pod string
		want           Part
	}{
		{"gateway-cert", "gateway-cert-handler-00001-deployment-7d9f6-x2x4z", Handler},
		{"gateway-cert", "apiserversource-certificates-0c3d-5b8c-x2x4z", Adapters},
		{"gateway-cert", "gateways-deployment-5b8c-x2x4z", Adapters},
		{"default", "operator-5b8c-x2x4z", Operator},
		{"default", "bare-00001-deployment-5b8c-x2x4z", ""},
		{"knative-serving", "activator-5b8c-x2x4z", Knative},
		{"knative-eventing", "pingsource-mt-adapter-5b8c-x2x4z", Knative},
		{"elsewhere", "gateway-cert-handler-00001-deployment-7d9f6-x2x4z", ""},
		{"elsewhere", "operator-5b8c-x2x4z", ""},
	} {
		if got := PartOf(c.namespace, c.pod); got != c.want {
			t.Errorf("%s/%s is of %q, want %q", c.namespace, c.pod, got, c.want)
		}
	}
}

func TestTheAPIServerNotesTheRequestsOfEachAccount(t *testing.T) {
	text, err := os.ReadFile("../../machine/files/audit.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var policy struct {
		Rules []struct {
			Level string
			Users []string
		}
	}
	if err := yaml.Unmarshal(text, &policy); err != nil {
		t.Fatal(err)
	}
	var accounts []string
	for _, part := range Parts() {
		if account := part.Account(); account != "" {
			accounts = append(accounts, account)
		}
	}
	for i, rule := range policy.Rules {
		if rule.Level == "Metadata" && !slices.Equal(rule.Users, accounts) {
			t.Errorf("rule %d notes %q, want %q", i, rule.Users, accounts)
		}
	}
	if len(policy.Rules) != 3 || policy.Rules[2].Level != "None" || policy.Rules[2].Users != nil {
		t.Errorf("the rules are %+v, of which the last is to leave out all else", policy.Rules)
	}
}
