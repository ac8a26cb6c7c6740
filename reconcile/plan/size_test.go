package plan_test

import (
	"fmt"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// flood is more wishes than are weighed, of Certificates older than any other.
func flood() []certmanagerv1.Certificate {
	var all []certmanagerv1.Certificate
	for i := range 80 {
		var names []string
		for k := range plan.MaxDNSNames {
			names = append(names, fmt.Sprintf("h%d-%d.example.com", i, k))
		}
		all = append(all, certificate("infra", fmt.Sprintf("a%02d", i), names...))
	}
	return all
}

func TestWhoHasAListenerKeepsItAgainstAFloodOfOlderWishes(t *testing.T) {
	late := certificate("infra", "z", "app.example.com")
	gateway := applied(baseGateway(), plansFor(baseGateway(), late))
	p := plansFor(gateway, append(flood(), late)...)
	if got := serving(p)["app.example.com"]; got != "auto-z-app-example-com" {
		t.Errorf("app.example.com is served by %q, want auto-z-app-example-com", got)
	}
	if again := plansFor(applied(gateway, p), append(flood(), late)...); !again.Unchanged() {
		t.Errorf("there is still something to do: %+v", again.Changes)
	}
}

func TestWhatIsNotWeighedIsSaidSo(t *testing.T) {
	p := plansFor(baseGateway(), append(flood(), certificate("infra", "z", "app.example.com"))...)
	for _, f := range p.Rejections {
		if f.Certificate == named("infra", "z") && f.Reason == plan.ReasonTooManyListeners {
			return
		}
	}
	t.Error("nobody tells infra/z")
}

func BenchmarkForAFlood(b *testing.B) {
	gateway, certificates := baseGateway(), flood()
	for b.Loop() {
		plansFor(gateway, certificates...)
	}
}
