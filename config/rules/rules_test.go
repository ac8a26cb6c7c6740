package rules_test

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"gateway-cert-operator.io/gateway-cert-handler/config/rules"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

func TestExpressionsSeeTheListenerItsCertificateAndItsGateway(t *testing.T) {
	for _, expression := range []string{
		"true",
		"listener.hostname == '*.example.com'",
		"listener.port == 8443",
		"listener.port in [443, 8443]",
		"listener.protocol == 'HTTPS'",
		"certificate.namespace == 'team-a' && certificate.name == 'wild'",
		"certificate.labels['team'] == 'a'",
		"certificate.labels.team == 'a'",
		"certificate.annotations['example.com/owner'] == 'b'",
		"certificate.dnsNames == ['*.Example.com', 'example.com']",
		"certificate.dnsNames.exists(name, name == 'example.com')",
		"certificate.issuerRef.name == 'ca' && certificate.issuerRef.kind == 'Issuer' && certificate.issuerRef.group == 'cert-manager.io'",
		"gateway.namespace == 'infra' && gateway.name == 'edge' && gateway.className == 'example'",
		"gateway.labels.tier == 'public' && gateway.annotations.note == 'n'",
		"certificate.namespace != gateway.namespace",
		"'team' in certificate.labels && has(certificate.labels.team)",
		"!('none' in certificate.labels) && !has(certificate.labels.none)",
		"certificate.labels[?'none'].orValue('a') == 'a'",
		"listener.hostname.matches('^[*][.]example[.]com$')",
		"listener.hostname.size() == 13",
	} {
		if met, _, err := compiled(t, expression).Met(candidate()); err != nil || !met {
			t.Errorf("%s is %t, %v; want true", expression, met, err)
		}
		if met, _, err := compiled(t, "!("+expression+")").Met(candidate()); err != nil || met {
			t.Errorf("the contrary of %s is %t, %v; want false", expression, met, err)
		}
	}
}

func TestAnExpressionWithAFaultIsRefusedWithItsPlace(t *testing.T) {
	for expression, says := range map[string]string{
		"listener.hostnam == 'a'":                           "line 1, column 9: undefined field 'hostnam'",
		"true &&\n  listener.hostnam == 'a'":                "line 2, column 11: undefined field 'hostnam'",
		"listener.name == 'a'":                              "undefined field 'name'",
		"certificate.issuerRef.uid == 'a'":                  "undefined field 'uid'",
		"hostname == 'a'":                                   "undeclared reference to 'hostname'",
		"object.spec.hostname == 'a'":                       "undeclared reference to 'object'",
		"listener.port == '443'":                            "no matching overload",
		"certificate.labels.team == 1":                      "no matching overload",
		"listener.hostname":                                 "it is of type string",
		"certificate.dnsNames":                              "it is of type list(string)",
		"dyn(true)":                                         "it is of type dyn",
		"1 +":                                               "Syntax error",
		"listener.hostname.matches('[')":                    "matches",
		"listener.hostname.lowerAscii() == ''":              "undeclared reference to 'lowerAscii'",
		"[1].all(a, [1].all(b, [1].all(c, a == c)))":        "comprehension",
		"a == b && c == d && e == f && g == h":              "; and more",
		strings.Repeat("(", 500) + strings.Repeat(")", 500): "",
	} {
		_, err := rules.Compile(expression)
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.80s: %v; want one line that says %q", expression, err, says)
		}
	}
}

func TestWhatHasNoAnswerIsAnError(t *testing.T) {
	for expression, says := range map[string]string{
		"certificate.labels['none'] == 'a'":            "no such key: none",
		"certificate.labels.none == 'a'":               "no such key: none",
		"certificate.dnsNames[2] == 'a'":               "index out of bounds",
		"1 / (listener.port - 8443) == 0":              "division by zero",
		"certificate.labels[?'none'].value() == 'a'":   "optional",
		"listener.port + 9223372036854775807 > 0":      "overflow",
		"listener.hostname.matches(listener.hostname)": "missing argument to repetition operator",
		"int(listener.hostname) == 1":                  "type conversion error",
	} {
		if met, _, err := compiled(t, expression).Met(candidate()); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s is %t, %v; want an error that says %q", expression, met, err, says)
		}
	}
}

// The names are a tenant's to write, the expression is not.
func TestAnExpressionThatCostsTooMuchIsAnError(t *testing.T) {
	const pairs = "certificate.dnsNames.all(a, certificate.dnsNames.all(b, a.contains(b) || b.contains(a) || a != b))"
	c := candidate()
	if met, _, err := compiled(t, pairs).Met(c); err != nil || !met {
		t.Errorf("of two names: %t, %v; want true", met, err)
	}
	c.Certificate.Spec.DNSNames = manyNames()
	if met, _, err := compiled(t, pairs).Met(c); err == nil || !strings.Contains(err.Error(), "cost") {
		t.Errorf("of %d names: %t, %v; want an error that names the cost", len(manyNames()), met, err)
	}
}

func TestOneLoopOverAsManyNamesAsThereMayBeCostsNotTooMuch(t *testing.T) {
	c := candidate()
	c.Certificate.Spec.DNSNames = manyNames()
	if met, _, err := compiled(t, "certificate.dnsNames.all(name, name.endsWith('.example.com'))").Met(c); err != nil || !met {
		t.Errorf("%t, %v; want true", met, err)
	}
}

func manyNames() (names []string) {
	for i := range plan.MaxDNSNames {
		names = append(names, fmt.Sprintf("host-%d.a-long-name-for-a-host.example.com", i))
	}
	return names
}

// The handler keeps no more of them; the plugin has them all, and must judge alike.
func TestExpressionsSeeNoMoreThanTheHandlerKeeps(t *testing.T) {
	c := candidate()
	long := strings.Repeat("l", 1<<10)
	c.Certificate.Annotations = map[string]string{"long": long, "longer": long + "l", corev1.LastAppliedConfigAnnotation: "{}"}
	c.Gateway.Annotations = c.Certificate.Annotations
	c.Certificate.Spec.DNSNames = append(manyNames(), "one-more.example.com")
	for _, expression := range []string{
		"certificate.annotations.map(key, key) == ['long']",
		"gateway.annotations.map(key, key) == ['long']",
		fmt.Sprintf("certificate.dnsNames.size() == %d", plan.MaxDNSNames),
	} {
		if met, _, err := compiled(t, expression).Met(c); err != nil || !met {
			t.Errorf("%s is %t, %v; want true", expression, met, err)
		}
	}
}

func TestObjectsWithNothingInThemCanBeJudged(t *testing.T) {
	c := candidate()
	c.Certificate.Labels, c.Certificate.Annotations, c.Certificate.Spec.DNSNames = nil, nil, nil
	c.Gateway.Labels, c.Gateway.Annotations = nil, nil
	const expression = "certificate.labels.size() + certificate.annotations.size() + certificate.dnsNames.size() + gateway.labels.size() + gateway.annotations.size() == 0"
	if met, _, err := compiled(t, expression).Met(c); err != nil || !met {
		t.Errorf("%t, %v; want true", met, err)
	}
}

func TestOneConditionServesManyAtOnce(t *testing.T) {
	condition := compiled(t, "certificate.dnsNames.exists(name, name == 'example.com') && certificate.labels.team == 'a'")
	done := make(chan error)
	const askers = 8
	for range askers {
		go func() {
			for range 100 {
				if met, _, err := condition.Met(candidate()); err != nil || !met {
					done <- fmt.Errorf("%t, %v; want true", met, err)
					return
				}
			}
			done <- nil
		}()
	}
	for range askers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestWhatIsAskedOfManyNamesCostsMore(t *testing.T) {
	c := candidate()
	c.Certificate.Spec.DNSNames = manyNames()
	costOf := func(expression string) uint64 {
		_, cost, _ := compiled(t, expression).Met(c)
		return cost
	}
	for expression, want := range map[string][2]uint64{
		"listener.port == 443":                                                       {10, 20},
		"certificate.dnsNames.all(name, name != '')":                                 {500, 5_000},
		"certificate.dnsNames.all(a, certificate.dnsNames.all(b, a == b || a != b))": {10_000, 10_100}, // and no answer
	} {
		if got := costOf(expression); got < want[0] || got > want[1] {
			t.Errorf("%s: costs %d, want from %d to %d", expression, got, want[0], want[1])
		}
	}
}
