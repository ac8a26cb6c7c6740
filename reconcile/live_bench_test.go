package reconcile_test

import (
	"fmt"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"go.opentelemetry.io/otel/trace/noop"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// BenchmarkHandle handles events on the real API server, with 1, 15 and 63
// listeners of ours on a Gateway, side by side: one that a run has seen already,
// one that makes for a look at the Gateway with nothing to do, and one for which
// every listener has to be changed. The latter includes the change of the
// Certificate that makes it so.
func BenchmarkHandle(b *testing.B) {
	for _, listeners := range []int{1, 15, 63} {
		s := newScene(b, listeners)
		b.Run(fmt.Sprintf("listeners=%d/covered", listeners), func(b *testing.B) {
			for b.Loop() {
				s.handle(b, reconcile.Covered)
			}
		})
		b.Run(fmt.Sprintf("listeners=%d/unchanged", listeners), func(b *testing.B) {
			for b.Loop() {
				s.look(b)
			}
		})
		b.Run(fmt.Sprintf("listeners=%d/patched", listeners), func(b *testing.B) {
			secret := 0
			for b.Loop() {
				secret++
				s.setSecret(b, fmt.Sprintf("secret-%d", secret))
				s.handle(b, reconcile.Patched)
			}
		})
	}
}

// scene is a namespace with one Gateway and one Certificate.
type scene struct {
	reconciler  *reconcile.Reconciler
	user        *namespace.Namespace
	certificate *certmanagerv1.Certificate
}

func newScene(b *testing.B, listeners int) *scene {
	b.Helper()
	apiServer, err := cluster.New(plane.Config(), noop.NewTracerProvider())
	namespace.Must(b, err)
	var dnsNames []string
	for i := range listeners {
		dnsNames = append(dnsNames, fmt.Sprintf("h%02d.example.com", i))
	}
	s := &scene{reconciler: reconcile.New(reconcile.Options{Cluster: apiServer, Tracing: noop.NewTracerProvider()}), user: namespace.New(b, plane.Config())}
	s.user.CreateGateway("edge", nil)
	s.certificate = s.user.CreateCertificate("app", "edge", dnsNames...)
	s.handle(b, reconcile.Patched)
	return s
}

func (s *scene) setSecret(b *testing.B, name string) {
	b.Helper()
	s.certificate.Spec.SecretName = name
	var err error
	s.certificate, err = s.user.Certificates.Update(b.Context(), s.certificate, metav1.UpdateOptions{})
	namespace.Must(b, err)
}

// look handles an event of the Gateway that tells nothing but its name.
func (s *scene) look(b *testing.B) {
	b.Helper()
	s.handleChange(b, changeOf(reconcile.Gateway, reconcile.Update, metav1.ObjectMeta{Namespace: s.user.Name, Name: "edge"}), reconcile.Unchanged)
}

// handle handles the event of the Certificate as it is now.
func (s *scene) handle(b *testing.B, want reconcile.Verdict) {
	b.Helper()
	s.handleChange(b, changeOf(reconcile.Certificate, reconcile.Add, s.certificate.ObjectMeta), want)
}

func (s *scene) handleChange(b *testing.B, change reconcile.Change, want reconcile.Verdict) {
	b.Helper()
	outcomes, err := s.reconciler.Handle(b.Context(), change)
	namespace.Must(b, err)
	if len(outcomes) != 1 || outcomes[0].Verdict != want {
		b.Fatalf("outcomes = %+v, want one %s", outcomes, want)
	}
}
