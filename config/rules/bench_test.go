package rules_test

import (
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/config/rules"
)

const typical = "certificate.namespace == gateway.namespace || !listener.hostname.startsWith('*.')"

// BenchmarkCompile is what each rule adds to reading the settings; the first one
// also sets up the language, which is not counted here.
func BenchmarkCompile(b *testing.B) {
	compiled(b, typical)
	for b.Loop() {
		if _, err := rules.Compile(typical); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMet is what each rule adds to a plan for each hostname: one as people
// write them, and the dearest that is let through.
func BenchmarkMet(b *testing.B) {
	many := candidate()
	many.Certificate.Spec.DNSNames = manyNames()
	for name, expression := range map[string]string{
		"typical": typical,
		"dearest": "certificate.dnsNames.all(a, certificate.dnsNames.all(b, a.contains(b) || b.contains(a) || a != b))",
	} {
		b.Run(name, func(b *testing.B) {
			condition := compiled(b, expression)
			b.ReportAllocs()
			for b.Loop() {
				_, _, _ = condition.Met(many) // the dearest costs too much
			}
		})
	}
}
