package reconcile_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/google/go-cmp/cmp"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// picky is an API server that will not have hostnames with "bad" in them.
func picky(dnsNames ...string) *faulty {
	app := certificateFor("edge")
	app.Spec.DNSNames = dnsNames
	return &faulty{
		gateways: []gatewayv1.Gateway{gateway("edge", "")}, certificates: []certmanagerv1.Certificate{app},
		refuse: func(p plan.Plan) error {
			if bad := badAmong(p); len(bad) > 0 {
				return &cluster.RefusedError{Err: errors.New("denied by policy")}
			}
			return nil
		},
	}
}

func badAmong(p plan.Plan) map[gatewayv1.SectionName]string {
	bad := map[gatewayv1.SectionName]string{}
	for _, l := range p.Listeners {
		if l.Hostname != nil && strings.Contains(string(*l.Hostname), "bad") {
			bad[l.Name] = "it is bad"
		}
	}
	return bad
}

func hostnamesOf(listeners []gatewayv1.Listener) []string {
	var hostnames []string
	for _, l := range listeners {
		if l.Hostname != nil {
			hostnames = append(hostnames, string(*l.Hostname))
		}
	}
	slices.Sort(hostnames)
	return hostnames
}

func TestWhatTheServerWillNotHaveIsLeftOutAndTheRestIsWritten(t *testing.T) {
	for name, mutate := range map[string]func(*faulty){
		"blamed by name": func(f *faulty) {
			f.refuse = func(p plan.Plan) error {
				if bad := badAmong(p); len(bad) > 0 {
					return &cluster.RefusedError{Listeners: bad, Err: errors.New("invalid")}
				}
				return nil
			}
		},
		"found by dry runs": func(*faulty) {},
		"blamed beside a listener that is not ours to change": func(f *faulty) {
			f.refuse = func(p plan.Plan) error {
				if bad := badAmong(p); len(bad) > 0 {
					return &cluster.RefusedError{Listeners: map[gatewayv1.SectionName]string{"http": "old"}, Err: errors.New("invalid")}
				}
				return nil
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := picky("a.com", "bad.com", "b.com", "worse.bad.com", "c.com")
			mutate(f)
			outcomes, _, err := handle(t, f, addOfApp())
			if err != nil || outcomes[0].Verdict != reconcile.Patched {
				t.Fatalf("Handle = %+v, %v; want patched", outcomes, err)
			}
			if diff := cmp.Diff([]string{"a.com", "b.com", "c.com"}, hostnamesOf(f.written.Listeners)); diff != "" {
				t.Errorf("hostnames written (-want +got):\n%s", diff)
			}
			if got := rejected(outcomes[0], plan.ReasonRefusedByServer); !cmp.Equal(got, []string{"bad.com", "worse.bad.com"}) {
				t.Errorf("reported as refused: %v, want bad.com and worse.bad.com", got)
			}
		})
	}
}

func rejected(o reconcile.Outcome, reason plan.Reason) []string {
	var hostnames []string
	for _, f := range o.Plan.Rejections {
		if f.Reason == reason {
			hostnames = append(hostnames, f.Hostname)
		}
	}
	return hostnames
}

func TestOneOfSixtyIsFoundWithinTheRun(t *testing.T) {
	dnsNames := []string{"bad.com"}
	for i := range 59 {
		dnsNames = append(dnsNames, fmt.Sprintf("h%d.com", i))
	}
	f := picky(dnsNames...)
	outcomes, _, err := handle(t, f, addOfApp())
	if err != nil || outcomes[0].Verdict != reconcile.Patched || len(f.written.Listeners) != 60 {
		t.Fatalf("Handle = %+v, %v; want all but one written", outcomes[0].Verdict, err)
	}
	if f.tries > 15 {
		t.Errorf("%d dry runs, want about 2·log2(60)", f.tries)
	}
}

func TestAServerThatTakesNoWriteAtAllIsTheGatewayOwnersMatter(t *testing.T) {
	f := picky("a.com")
	f.refuse = func(plan.Plan) error { return &cluster.RefusedError{Err: errors.New("frozen")} }
	outcomes, _, err := handle(t, f, addOfApp())
	if err != nil || outcomes[0].Verdict != reconcile.Refused || !errors.Is(outcomes[0].Err, cluster.ErrRefused) {
		t.Fatalf("Handle = %+v, %v; want refused", outcomes, err)
	}
	if n := len(outcomes[0].Notes); n != 1 || !strings.Contains(outcomes[0].Notes[0].Message, "frozen") {
		t.Errorf("notes = %+v, want one with the server's words", outcomes[0].Notes)
	}
}

func TestADryRunThatFailsIsTriedAgainLater(t *testing.T) {
	f := picky("bad.com", "a.com")
	asked := 0
	f.refuse = func(plan.Plan) error {
		if asked++; asked > 1 {
			return errors.New("connection refused")
		}
		return &cluster.RefusedError{Err: errors.New("no")}
	}
	outcomes, _, err := handle(t, f, addOfApp())
	if err != nil || outcomes[0].Verdict != reconcile.TryAgain {
		t.Errorf("Handle = %+v, %v; want to try again", outcomes, err)
	}
}

func TestEventsNeverChangeTheVerdict(t *testing.T) {
	f := &faulty{
		gateways: []gatewayv1.Gateway{gateway("edge", "")}, certificates: []certmanagerv1.Certificate{certificateFor("edge")},
		recordErr: errors.New("forbidden"),
	}
	f.certificates[0].Spec.DNSNames = append(f.certificates[0].Spec.DNSNames, "not a name")
	outcomes, took, err := handle(t, f, addOfApp())
	if err != nil || outcomes[0].Verdict != reconcile.Patched || outcomes[0].Err != nil {
		t.Errorf("Handle = %+v, %v; want patched", outcomes, err)
	}
	if len(f.recorded) != 2 || outcomes[0].ReportErr == nil { // of what is refused, and of what is written
		t.Errorf("%d Events with error %v, want two and their error", len(f.recorded), outcomes[0].ReportErr)
	}
	if took > 3*time.Second {
		t.Errorf("the run took %s", took)
	}
}

func TestWhatOnlyBearsOnAWarningStopsNothing(t *testing.T) {
	f := &faulty{
		gateways: []gatewayv1.Gateway{gateway("edge", "")}, certificates: []certmanagerv1.Certificate{certificateFor("edge")},
		grantsErr: errors.New("forbidden"),
	}
	f.gateways[0].Annotations = map[string]string{plan.CertificateNamespacesKey: "All"}
	f.certificates[0].Namespace = "team-a"
	outcomes, _, err := handle(t, f, reconcile.Change{Kind: reconcile.Everything})
	if err != nil || len(outcomes) == 0 {
		t.Fatalf("Handle = %+v, %v", outcomes, err)
	}
}

func TestNamespacesThatCannotBeReadRemoveNothing(t *testing.T) {
	f := &faulty{
		gateways: []gatewayv1.Gateway{gateway("edge", "")}, certificates: []certmanagerv1.Certificate{certificateFor("edge")},
		namespacesErr: errors.New("connection refused"),
	}
	outcomes, _, err := handle(t, f, addOfApp())
	if err != nil || outcomes[0].Verdict != reconcile.TryAgain || f.writes != 0 {
		t.Errorf("Handle = %+v, %v with %d writes; want to try again", outcomes, err, f.writes)
	}
}
