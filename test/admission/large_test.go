package admission

import (
	"fmt"
	"strings"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// allThereIs is near to what the API server takes in all annotations of an
// object together, which is 256 KiB.
const allThereIs = 261_000

// The API server stops an expression that costs too much, and here that would be
// seen as an error.
func TestNothingIsTooLargeToBeJudged(t *testing.T) {
	c := mustClient(t)
	fill := func(text string) string { return strings.Repeat(text, allThereIs/len(text)) }
	for name, tc := range map[string]struct{ key, text string }{
		"commas":                {"allowed-hostnames", fill(",")},
		"hostnames":             {"allowed-hostnames", fill("a.com,")},
		"one long hostname":     {"allowed-hostnames", fill("a")},
		"one long number":       {"allowed-hostnames", fill("1")},
		"dots":                  {"allowed-hostnames", fill(".")},
		"asterisks":             {"allowed-hostnames", fill("*.")},
		"colons":                {"allowed-hostnames", fill(":")},
		"a long last hostname":  {"allowed-hostnames", hostnames(255) + "," + fill("a")[:250_000]},
		"as many as may be":     {"allowed-hostnames", strings.Repeat(","+strings.Repeat("a.", 126)+"a", 256)[1:]},
		"spaces":                {"allowed-hostnames", fill(" ") + "a"},
		"a port":                {"listener-port", fill("0") + "443"},
		"a port that is none":   {"listener-port", fill("9")},
		"a limit":               {"max-listeners", fill("0") + "1"},
		"a limit that is none":  {"max-listeners", fill("9")},
		"a selector":            {"certificate-namespaces", "Selector: a in (" + strings.Repeat("b,", 500) + "b)"},
		"a selector too large":  {"certificate-namespaces", "Selector: " + fill("a")},
		"a selector of nothing": {"certificate-namespaces", "Selector:" + fill(" ")},
		"a word":                {"attach", fill("Always")},
		"a publisher":           {"publish", fill("Gateway")},
	} {
		t.Run(name, func(t *testing.T) {
			object := annotated(gateway, tc.key, tc.text)
			for _, fault := range compare(refusal(t, c, object), planned(object, tc.key)) {
				t.Errorf("%.1000s", fault)
			}
		})
	}
}

func TestOthersAnnotationsMayBeAsManyAsTheyLike(t *testing.T) {
	c := mustClient(t)
	object := annotated(gateway, "attach", "never")
	for i := range 30_000 {
		object.GetAnnotations()[fmt.Sprintf("a%d", i)] = "x"
	}
	if said := refusal(t, c, object); said == "" {
		t.Error("the fault among them is not seen")
	}
	delete(object.GetAnnotations(), plan.KeyPrefix+"attach")
	if said := refusal(t, c, object); said != "" {
		t.Errorf("the policy says %q", said)
	}
}
