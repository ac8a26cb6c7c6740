package plan_test

import (
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/google/go-cmp/cmp"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

func TestUserOwnedListenersKeepTheirPlaceAndContent(t *testing.T) {
	gateway := applied(baseGateway(), plansFor(baseGateway(), baseCertificate()))
	mine := gatewayv1.Listener{Name: "auto-mine", Port: 8080, Protocol: gatewayv1.HTTPProtocolType}
	gateway.Spec.Listeners = append([]gatewayv1.Listener{mine}, gateway.Spec.Listeners...)

	p := plansFor(gateway, certificate("infra", "b", "b.example.com"))

	want := []gatewayv1.SectionName{"auto-mine", "http", "auto-b-b-example-com"}
	if got := namesOf(p.Listeners); !cmp.Equal(got, want) {
		t.Errorf("listeners = %v, want %v", got, want)
	}
	if diff := cmp.Diff(mine, p.Listeners[0]); diff != "" {
		t.Errorf("auto-mine (-want +got):\n%s", diff)
	}
}

func TestTheLastListenerStaysUntilThereIsAnother(t *testing.T) {
	gateway := applied(baseGateway(), plansFor(baseGateway(), baseCertificate()))
	gateway.Spec.Listeners = gateway.Spec.Listeners[1:]

	kept := plansFor(gateway)
	if got := namesOf(kept.Listeners); !cmp.Equal(got, []gatewayv1.SectionName{"auto-app-app-example-com"}) {
		t.Errorf("without any Certificate: listeners %v, want the last one kept", got)
	}
	if got := reasons(kept); !cmp.Equal(got, []plan.Reason{plan.ReasonLastListenerKept}) {
		t.Errorf("reasons = %v, want %s", got, plan.ReasonLastListenerKept)
	}
	if !kept.Unchanged() {
		t.Errorf("keeping it is a change: %+v", kept)
	}
	freed := plansFor(gateway, certificate("infra", "b", "b.example.com"))
	if got := namesOf(freed.Listeners); !cmp.Equal(got, []gatewayv1.SectionName{"auto-b-b-example-com"}) {
		t.Errorf("with another Certificate: listeners %v, want only the new one", got)
	}
}

func TestTheHolderOfAHostnameKeepsItFromAnOlderCertificate(t *testing.T) {
	younger, older := certificate("infra", "z", "app.example.com"), certificate("infra", "a", "app.example.com")
	gateway := applied(baseGateway(), plansFor(baseGateway(), younger))

	if got := serving(plansFor(gateway, older, younger))["app.example.com"]; got != "auto-z-app-example-com" {
		t.Errorf("both there: served by %s, want the holder's auto-z-app-example-com", got)
	}
	if got := serving(plansFor(gateway, older))["app.example.com"]; got != "auto-a-app-example-com" {
		t.Errorf("the holder gone: served by %s, want auto-a-app-example-com", got)
	}
}

func TestListenersWipedByAnotherWriterComeBackUnderTheirNames(t *testing.T) {
	certificates := []certmanagerv1.Certificate{
		certificate("infra", "a", "a-b.com"), certificate("infra", "a", "a.b.com", "a-b.com"),
	}
	first := applied(baseGateway(), plansFor(baseGateway(), certificates[0]))
	both := plansFor(first, certificates[1])
	wiped := applied(first, both)
	wiped.Spec.Listeners = baseGateway().Spec.Listeners

	if diff := cmp.Diff(serving(both), serving(plansFor(wiped, certificates[1]))); diff != "" {
		t.Errorf("names after the wipe (-before +after):\n%s", diff)
	}
}

func TestAUsersListenerThatLooksLikeOursStaysTheirs(t *testing.T) {
	ours := plansFor(baseGateway(), baseCertificate()).Listeners[1]
	for _, tc := range []struct {
		name   string
		mutate func(*gatewayv1.Gateway)
	}{
		{"but for its port", func(g *gatewayv1.Gateway) { g.Spec.Listeners[1].Port = 8443 }},
		{"but for its routes", func(g *gatewayv1.Gateway) {
			g.Spec.Listeners[1].AllowedRoutes = &gatewayv1.AllowedRoutes{Kinds: []gatewayv1.RouteGroupKind{{Kind: "HTTPRoute"}}}
		}},
		{"wholly, beside a ledger that does not name it", func(g *gatewayv1.Gateway) {
			g.Annotations = map[string]string{plan.LedgerKey: `{"auto-other-other-example-com":"infra/other"}`}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			gateway := baseGateway()
			gateway.Spec.Listeners = append(gateway.Spec.Listeners, *ours.DeepCopy())
			tc.mutate(gateway)
			p := plansFor(gateway, baseCertificate())
			if diff := cmp.Diff(gateway.Spec.Listeners, p.Listeners[:2]); diff != "" {
				t.Errorf("the owner's listeners (-before +after):\n%s", diff)
			}
			if _, taken := p.Ledger[ours.Name]; taken {
				t.Errorf("the ledger %s names it", p.Ledger)
			}
		})
	}
}

func TestAWipeHandsNoHostnameToARival(t *testing.T) {
	holder := certificate("infra", "z", "a-b.com")
	gateway := applied(baseGateway(), plansFor(baseGateway(), holder))
	// Older than the holder, and its two names spell alike.
	older := certificate("infra", "a", "a.b.com", "a-b.com")
	before := plansFor(gateway, older, holder)
	wiped := applied(gateway, before)
	wiped.Spec.Listeners = baseGateway().Spec.Listeners
	if diff := cmp.Diff(serving(before), serving(plansFor(wiped, older, holder))); diff != "" {
		t.Errorf("hostnames served (-before the wipe +after):\n%s", diff)
	}
}

func TestOfTwoListenersForOneWishTheFirstIsKept(t *testing.T) {
	gateway := applied(baseGateway(), plansFor(baseGateway(), baseCertificate()))
	double := *gateway.Spec.Listeners[1].DeepCopy()
	double.Name, double.Port = "auto-app-double", 8443
	gateway.Spec.Listeners = append(gateway.Spec.Listeners, double)
	gateway.Annotations[plan.LedgerKey] = `{"auto-app-app-example-com":"infra/app","auto-app-double":"infra/app"}`
	want := []gatewayv1.SectionName{"http", "auto-app-app-example-com"}
	if got := namesOf(plansFor(gateway, baseCertificate()).Listeners); !cmp.Equal(got, want) {
		t.Errorf("listeners = %v, want %v", got, want)
	}
}

func TestTheOlderCertificateHasAHostnameWhateverTheirNames(t *testing.T) {
	older, younger := certificate("infra", "z", "app.example.com"), certificate("infra", "b", "app.example.com")
	older.CreationTimestamp.Time, younger.CreationTimestamp.Time = dayZero, dayZero.AddDate(0, 0, 1)
	if got := serving(plansFor(baseGateway(), younger, older))["app.example.com"]; got != "auto-z-app-example-com" {
		t.Errorf("served by %s, want the older's auto-z-app-example-com", got)
	}
}
