package plan_test

import (
	"fmt"
	"strings"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// BenchmarkFor plans for Gateways that are as they should be, the commonest
// case, with ever more Certificates of one DNS name each; beyond 63 there is no
// room for all.
func BenchmarkFor(b *testing.B) {
	for _, n := range []int{1, 8, 63, 500} {
		b.Run(fmt.Sprintf("certificates=%d", n), func(b *testing.B) {
			var certificates []certmanagerv1.Certificate
			for i := range n {
				certificates = append(certificates, certificate("infra", fmt.Sprintf("c%03d", i), fmt.Sprintf("c%03d.example.com", i)))
			}
			gateway := applied(baseGateway(), plansFor(baseGateway(), certificates...))
			b.ReportAllocs()
			for b.Loop() {
				if p := plansFor(gateway, certificates...); !p.Unchanged() {
					b.Fatalf("there is something to do: %+v", p.Changes)
				}
			}
		})
	}
}

// BenchmarkForOneCertificate plans for a Gateway that one Certificate fills. With
// a long name its listeners' names begin alike.
func BenchmarkForOneCertificate(b *testing.B) {
	for name, in := range filled() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if p := plan.For(in); !p.Unchanged() {
					b.Fatalf("there is something to do: %+v", p.Changes)
				}
			}
		})
	}
}

func filled() map[string]plan.Input {
	all := map[string]plan.Input{}
	for _, name := range []string{"app", strings.Repeat("l", 50)} {
		all[fmt.Sprintf("a name of %d characters", len(name))] = settled(plan.Input{
			Gateway: baseGateway(), Certificates: []certmanagerv1.Certificate{certificate("infra", name, dnsNames(63)...)},
		})
	}
	return all
}

// The work grows with the listeners, not with their square. Allocations stand in
// for time, because they do not depend on the machine.
func TestAPlanForOneCertificateOf63NamesIsCheap(t *testing.T) {
	for name, in := range filled() {
		t.Run(name, func(t *testing.T) {
			if got := testing.AllocsPerRun(1, func() { plan.For(in) }); got > 20_000 {
				t.Errorf("%.0f allocations, want at most 20000", got)
			}
		})
	}
}
