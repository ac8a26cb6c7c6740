package rules_test

import (
	"strings"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/config/rules"
)

// Whatever somebody writes for an expression, and a tenant into what it looks at:
// an error is one line, and what is taken has one answer.
func FuzzExpression(f *testing.F) {
	for _, expression := range []string{
		"true", typical, "listener.port in [443, 8443]", "certificate.labels['team'] == 'a'",
		"certificate.dnsNames.all(name, name.matches('^a+$'))", "certificate.labels[?'team'].orValue('') != ''",
		"has(gateway.labels.tier) ? gateway.labels.tier == 'x' : true", "listener.hostname.matches(certificate.name)",
		"[1, 2].map(x, [x, x]).size() == 2", "timestamp('2026-01-01T00:00:00Z') < timestamp(certificate.name)",
		"duration('1h') > duration(listener.hostname)", "{'a': 1}.a == 1", "rules.listener{hostname: 'a'} == listener",
		"b'a' == bytes(listener.hostname)", "1 +", "'", "\x00", "certificate.issuerRef", "1u == uint(listener.port)",
	} {
		f.Add(expression, "a.example.com", "team")
	}
	f.Fuzz(func(t *testing.T, expression, hostname, label string) {
		condition, err := rules.Compile(expression)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\r\n") {
				t.Errorf("%q: the error has several lines: %q", expression, err)
			}
			return
		}
		c := candidate()
		c.Hostname = "*." + c.Hostname
		c.Certificate.Name, c.Certificate.Labels = hostname, map[string]string{label: hostname}
		c.Certificate.Spec.DNSNames = []string{hostname, label}
		met, _, err := condition.Met(c)
		again, _, errAgain := condition.Met(c)
		if met != again || (err == nil) != (errAgain == nil) {
			t.Errorf("%q is %t, %v and then %t, %v", expression, met, err, again, errAgain)
		}
	})
}
