package reconcile_test

import (
	"testing"
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
)

// Each of them may wait for the API server's cache, and a handler that has just
// woken makes its patch after the last of them.
func TestASweepTakesAsLongAsItsSlowestListAndNotAsAllOfThem(t *testing.T) {
	f := &faulty{
		gateways: []gatewayv1.Gateway{gateway("edge", "")}, certificates: []certmanagerv1.Certificate{certificateFor("edge")},
		listTakes: 100 * time.Millisecond,
	}
	outcomes, took, err := handle(t, f, everything())
	if err != nil || len(outcomes) != 1 || outcomes[0].Verdict != reconcile.Patched {
		t.Fatalf("Handle = %+v, %v; want one Gateway to be patched", outcomes, err)
	}
	if took != f.listTakes {
		t.Errorf("the sweep took %s, want %s", took, f.listTakes)
	}
}

func TestASweepFindsAGatewayThatIsMadeWhileItReads(t *testing.T) {
	f := &faulty{
		gateways: []gatewayv1.Gateway{gateway("edge", "")}, certificates: []certmanagerv1.Certificate{certificateFor("edge")},
		madeLate: true,
	}
	outcomes, _, err := handle(t, f, everything())
	if err != nil || len(outcomes) != 1 || outcomes[0].Verdict != reconcile.Patched {
		t.Errorf("Handle = %+v, %v; want one Gateway to be patched", outcomes, err)
	}
}

func TestASweepTellsOfAGatewayThatIsMissing(t *testing.T) {
	f := &faulty{certificates: []certmanagerv1.Certificate{certificateFor("edge")}}
	outcomes, _, err := handle(t, f, everything())
	if err != nil || len(outcomes) != 1 || outcomes[0].Verdict != reconcile.GatewayMissing {
		t.Errorf("Handle = %+v, %v; want one Gateway to be missing", outcomes, err)
	}
	if f.reads != 0 {
		t.Errorf("it was asked for %d times, want not at all: anybody can name one that is not there", f.reads)
	}
}
