package reconcile_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/trace/noop"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

func gateway(name string, ledger string) gatewayv1.Gateway {
	g := gatewayv1.Gateway{
		ObjectMeta: metav1.ObjectMeta{Namespace: "infra", Name: name, ResourceVersion: "7"},
		Spec:       gatewayv1.GatewaySpec{Listeners: []gatewayv1.Listener{{Name: "http", Port: 80, Protocol: gatewayv1.HTTPProtocolType}}},
	}
	if ledger != "" {
		g.Annotations = map[string]string{plan.LedgerKey: ledger}
		g.Labels = map[string]string{plan.ManagedKey: plan.ManagedValue}
	}
	return g
}

func certificateFor(gatewayName string) certmanagerv1.Certificate {
	return certmanagerv1.Certificate{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "infra", Name: "app", ResourceVersion: "42",
			Labels: map[string]string{plan.GatewayNameKey: gatewayName},
		},
		Spec: certmanagerv1.CertificateSpec{SecretName: "app-tls", DNSNames: []string{"app.example.com"}},
	}
}

func changeOf(kind reconcile.Kind, operation reconcile.Operation, object metav1.ObjectMeta) reconcile.Change {
	return reconcile.Change{Kind: kind, Operation: operation, Object: &metav1.PartialObjectMetadata{ObjectMeta: object}}
}

func addOfApp() reconcile.Change {
	return changeOf(reconcile.Certificate, reconcile.Add, certificateFor("edge").ObjectMeta)
}

// handle runs the change with time of its own, so that pauses cost none.
func handle(t *testing.T, f *faulty, change reconcile.Change) (outcomes []reconcile.Outcome, took time.Duration, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		outcomes, err = reconcile.New(reconcile.Options{Cluster: f, Tracing: noop.NewTracerProvider()}).Handle(t.Context(), change)
		took = time.Since(start)
	})
	return outcomes, took, err
}

func outdated() error { return errors.Join(cluster.ErrOutdated) }

func TestVerdictOfARun(t *testing.T) {
	for _, tc := range []struct {
		name   string
		mutate func(*faulty)
		want   reconcile.Verdict
		writes int
	}{
		{"all is well", func(*faulty) {}, reconcile.Patched, 1},
		{"nothing to do", func(f *faulty) { f.certificates = nil }, reconcile.Unchanged, 0},
		{"a dry run", func(f *faulty) { f.gateways[0].Annotations = map[string]string{plan.ModeKey: "DryRun"} }, reconcile.DryRun, 0},
		{"no such Gateway", func(f *faulty) { f.gateways = nil }, reconcile.GatewayMissing, 0},
		{"the Gateway is being deleted", func(f *faulty) { f.gateways[0].DeletionTimestamp = &metav1.Time{} }, reconcile.GatewayMissing, 0},
		{"the Gateway goes before the patch", func(f *faulty) {
			f.writeErrors = []error{apierrors.NewNotFound(schema.GroupResource{}, "edge")}
		}, reconcile.GatewayMissing, 1},
		{"the guard fails three times", func(f *faulty) { f.writeErrors = []error{outdated(), outdated(), outdated(), nil} }, reconcile.Patched, 4},
		{"the guard fails for ever", func(f *faulty) { f.writeErrors = []error{outdated()} }, reconcile.TryAgain, 5},
		{"the API server refuses the object", func(f *faulty) { f.writeErrors = []error{cluster.ErrRefused} }, reconcile.Refused, 1},
		{"the API server fails at the patch", func(f *faulty) { f.writeErrors = []error{apierrors.NewInternalError(errors.New("x"))} }, reconcile.TryAgain, 1},
		{"the LIST fails", func(f *faulty) { f.listErr = apierrors.NewInternalError(errors.New("x")) }, reconcile.TryAgain, 0},
		{"the LIST is forbidden", func(f *faulty) { f.listErr = apierrors.NewForbidden(schema.GroupResource{}, "", nil) }, reconcile.TryAgain, 0},
		{"the GET fails", func(f *faulty) { f.getErr = errors.New("connection refused") }, reconcile.TryAgain, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := &faulty{gateways: []gatewayv1.Gateway{gateway("edge", "")}, certificates: []certmanagerv1.Certificate{certificateFor("edge")}}
			tc.mutate(f)
			outcomes, took, err := handle(t, f, addOfApp())
			if err != nil || len(outcomes) != 1 {
				t.Fatalf("Handle = %v, %v; want one outcome", outcomes, err)
			}
			if got := outcomes[0].Verdict; got != tc.want {
				t.Errorf("verdict = %s (%v), want %s", got, outcomes[0].Err, tc.want)
			}
			if f.writes != tc.writes {
				t.Errorf("%d writes, want %d", f.writes, tc.writes)
			}
			if failed := tc.want == reconcile.TryAgain || tc.want == reconcile.Refused; (outcomes[0].Err != nil) != failed {
				t.Errorf("error = %v with verdict %s", outcomes[0].Err, tc.want)
			}
			if took > 10*time.Second {
				t.Errorf("the run took %s, want at most 10 s", took)
			}
		})
	}
}

func TestARunEndsAfterTenSecondsWhenTheAPIServerHangs(t *testing.T) {
	f := &faulty{gateways: []gatewayv1.Gateway{gateway("edge", "")}, hangs: true}
	outcomes, took, err := handle(t, f, addOfApp())
	if err != nil || outcomes[0].Verdict != reconcile.TryAgain {
		t.Errorf("Handle = %+v, %v; want one outcome to try again", outcomes, err)
	}
	if took != 10*time.Second {
		t.Errorf("the run took %s, want 10 s", took)
	}
}

// The other way round, a Certificate that comes between the two reads, and that
// another run puts on the Gateway, would be taken off again.
func TestTheGatewayIsReadBeforeItsCertificates(t *testing.T) {
	f := &faulty{gateways: []gatewayv1.Gateway{gateway("edge", "")}}
	if _, _, err := handle(t, f, addOfApp()); err != nil {
		t.Fatal(err)
	}
	if want := []string{"Gateway", "CertificatesOf"}; !cmp.Equal(f.calls, want) {
		t.Errorf("calls = %v, want %v", f.calls, want)
	}
}

func TestAListenerIsNotTakenOffForACertificateThatOnlyTheLatestListHas(t *testing.T) {
	app := certificateFor("edge")
	edge := gateway("edge", "")
	p := plan.For(plan.Input{Gateway: &edge, Certificates: []certmanagerv1.Certificate{app}})
	standing := gateway("edge", p.Ledger.String())
	standing.Spec.Listeners = p.Listeners

	f := &faulty{gateways: []gatewayv1.Gateway{standing}, unseen: []certmanagerv1.Certificate{app}}
	outcomes, _, err := handle(t, f, changeOf(reconcile.Gateway, reconcile.Update, standing.ObjectMeta))
	if err != nil || outcomes[0].Verdict != reconcile.Unchanged || f.writes != 0 {
		t.Errorf("Handle = %+v, %v with %d writes; want nothing to do", outcomes, err, f.writes)
	}
}

func TestTheFirstEventDoesNotWaitForTheAPIServersVersion(t *testing.T) {
	f := &faulty{gateways: []gatewayv1.Gateway{gateway("edge", "")}, certificates: []certmanagerv1.Certificate{certificateFor("edge")}}
	if _, _, err := handle(t, f, addOfApp()); err != nil || f.orderAsked != 0 {
		t.Errorf("asked %d times, %v; want not at all", f.orderAsked, err)
	}
}

func TestEachAttemptReadsTheGatewayAnew(t *testing.T) {
	f := &faulty{
		gateways: []gatewayv1.Gateway{gateway("edge", "")}, certificates: []certmanagerv1.Certificate{certificateFor("edge")},
		writeErrors: []error{outdated(), outdated(), nil},
	}
	outcomes, took, _ := handle(t, f, addOfApp())
	if f.reads != 3 || outcomes[0].Attempts != 3 {
		t.Errorf("%d reads in %d attempts, want 3 in 3", f.reads, outcomes[0].Attempts)
	}
	if least := 20*time.Millisecond + 40*time.Millisecond; took < least {
		t.Errorf("the run took %s, want pauses of %s at least", took, least)
	}
}

func TestTheGatewaysOfAChange(t *testing.T) {
	app := certificateFor("edge").ObjectMeta
	for _, tc := range []struct {
		name   string
		change reconcile.Change
		want   []string
	}{
		{"a Certificate's add: the one its labels name", changeOf(reconcile.Certificate, reconcile.Add, app), []string{"infra/edge"}},
		{"its delete: likewise", changeOf(reconcile.Certificate, reconcile.Delete, app), []string{"infra/edge"}},
		{"its update: also the one whose ledger names it", changeOf(reconcile.Certificate, reconcile.Update, app), []string{"infra/edge", "infra/former"}},
		{"an update without the label: only the latter", changeOf(reconcile.Certificate, reconcile.Update, metav1.ObjectMeta{Namespace: "infra", Name: "app"}), []string{"infra/former"}},
		{"a Gateway's: that one", changeOf(reconcile.Gateway, reconcile.Update, metav1.ObjectMeta{Namespace: "infra", Name: "former"}), []string{"infra/former"}},
		{"a Gateway's delete: none", changeOf(reconcile.Gateway, reconcile.Delete, metav1.ObjectMeta{Namespace: "infra", Name: "former"}), nil},
		{"everything: all named or managed", reconcile.Change{Kind: reconcile.Everything}, []string{"infra/edge", "infra/former", "infra/managed"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := &faulty{
				gateways: []gatewayv1.Gateway{
					gateway("edge", ""), gateway("other", ""),
					gateway("former", `{"auto-app-app-example-com":"infra/app"}`), gateway("managed", `{"auto-x":"infra/x"}`),
				},
				certificates: []certmanagerv1.Certificate{certificateFor("edge")},
			}
			outcomes, _, err := handle(t, f, tc.change)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, o := range outcomes {
				got = append(got, o.Gateway.String())
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("Gateways (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAFailedLookUpIsAnErrorAndNothingIsWritten(t *testing.T) {
	for name, change := range map[string]reconcile.Change{
		"update":     changeOf(reconcile.Certificate, reconcile.Update, certificateFor("edge").ObjectMeta),
		"everything": {Kind: reconcile.Everything},
		"unknown":    {Kind: "Pod"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &faulty{gateways: []gatewayv1.Gateway{gateway("edge", "")}, managedErr: errors.New("connection refused")}
			outcomes, _, err := handle(t, f, change)
			if err == nil || len(outcomes) > 0 || f.writes > 0 {
				t.Errorf("Handle = %v, %v with %d writes; want only an error", outcomes, err, f.writes)
			}
		})
	}
}

func TestTheCertificatesAreAskedForNotOlderThanTheEvents(t *testing.T) {
	f := &faulty{gateways: []gatewayv1.Gateway{gateway("edge", "")}}
	if _, _, err := handle(t, f, addOfApp()); err != nil {
		t.Fatal(err)
	}
	if _, _, err := handle(t, f, changeOf(reconcile.Gateway, reconcile.Add, f.gateways[0].ObjectMeta)); err != nil {
		t.Fatal(err)
	}
	if want := []string{"42", ""}; !cmp.Equal(f.askedFor, want) {
		t.Errorf("asked for %q, want %q: a Gateway's version says nothing about Certificates", f.askedFor, want)
	}
}
