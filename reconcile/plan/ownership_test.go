package plan_test

import (
	"fmt"
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

// Both names are ones that the Certificate can have given to that hostname.
func TestOfTwoListenersForOneWishTheFirstIsKept(t *testing.T) {
	plain, hashed := gatewayv1.SectionName("auto-app-app-example-com"), hashedName(baseCertificate())
	for _, order := range [][]gatewayv1.SectionName{{plain, hashed}, {hashed, plain}} {
		t.Run(fmt.Sprint(order), func(t *testing.T) {
			gateway := applied(baseGateway(), plansFor(baseGateway(), baseCertificate()))
			double := *gateway.Spec.Listeners[1].DeepCopy()
			gateway.Spec.Listeners[1].Name, double.Name, double.Port = order[0], order[1], 8443
			gateway.Spec.Listeners = append(gateway.Spec.Listeners, double)
			gateway.Annotations[plan.LedgerKey] = plan.Ledger{
				plain: {Certificate: named("infra", "app")}, hashed: {Certificate: named("infra", "app")},
			}.String()
			want := []gatewayv1.SectionName{"http", order[0]}
			if got := namesOf(plansFor(gateway, baseCertificate()).Listeners); !cmp.Equal(got, want) {
				t.Errorf("listeners = %v, want %v", got, want)
			}
		})
	}
}

// hashedName is what a Certificate's first listener is called when a user has
// its plain name.
func hashedName(c certmanagerv1.Certificate) gatewayv1.SectionName {
	gateway := baseGateway()
	gateway.Spec.Listeners[0].Name = plansFor(baseGateway(), c).Listeners[1].Name
	return plansFor(gateway, c).Listeners[1].Name
}

func TestTheOlderCertificateHasAHostnameWhateverTheirNames(t *testing.T) {
	older, younger := certificate("infra", "z", "app.example.com"), certificate("infra", "b", "app.example.com")
	older.CreationTimestamp.Time, younger.CreationTimestamp.Time = dayZero, dayZero.AddDate(0, 0, 1)
	if got := serving(plansFor(baseGateway(), younger, older))["app.example.com"]; got != "auto-z-app-example-com" {
		t.Errorf("served by %s, want the older's auto-z-app-example-com", got)
	}
}
