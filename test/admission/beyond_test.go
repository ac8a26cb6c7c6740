package admission

import (
	"strings"
	"testing"
)

// What docs/deploy.md says that the policy does not see. Should it learn to, the
// page is to say less.
func TestWhatThePolicyLeavesToThePlanner(t *testing.T) {
	c := mustClient(t)
	for name, tc := range map[string]struct{ key, text string }{
		"an international name with what none may have": {"allowed-hostnames", "b\u00fccher_laden.example"},
		"an address in full-width digits":               {"allowed-hostnames", "\uff11\uff10.0.0.1"},
		"what is not the A-label of anything":           {"allowed-hostnames", "xn--a.example"},
		"a label's key with a prefix of over 253":       {"certificate-namespaces", "Selector: " + strings.Repeat("a", 254) + "/b"},
		"a number of over 64 bits":                      {"certificate-namespaces", "Selector: a > 9223372036854775808"},
	} {
		t.Run(name, func(t *testing.T) {
			object := annotated(gateway, tc.key, tc.text)
			if said := refusal(t, c, object); said != "" {
				t.Errorf("the policy sees it: %s", said)
			}
			if planned(object, tc.key) == "" {
				t.Error("the planner can read it, so there is nothing to leave to it")
			}
		})
	}
}
