package plan_test

import (
	"fmt"
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
			gateway := applied(baseGateway(), plan.For(baseGateway(), certificates))
			b.ReportAllocs()
			for b.Loop() {
				if p := plan.For(gateway, certificates); !p.Unchanged() {
					b.Fatalf("there is something to do: %+v", p.Changes)
				}
			}
		})
	}
}
