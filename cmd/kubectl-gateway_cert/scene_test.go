package main

import (
	"os"
	"strings"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/test/golden"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// scene is a namespace as the gateway-cert-operator has left it: Gateway edge
// with the listeners of Certificates app and shop, one of a Certificate that is
// gone, and one of its owner's that is only called like them; and a Certificate
// whose Gateway there is not.
type scene struct {
	*namespace.Namespace
	shell
}

func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{Namespace: namespace.New(t, plane.Config()), shell: newShell(t)}
	s.CreateGateway("edge", func(g *gatewayv1.Gateway) {
		g.Spec.Listeners = append(g.Spec.Listeners,
			gatewayv1.Listener{Name: "auto-mine", Port: 8080, Protocol: gatewayv1.HTTPProtocolType},
			s.byOperator("app", "app.example.com"),
			s.byOperator("gone", "gone.example.com"),
			s.byOperator("shop", "*.shop.example.com"),
		)
	})
	s.annotate("app", map[string]string{plan.GatewayNameKey: "edge"}, "app.example.com")
	s.annotate("shop", map[string]string{plan.GatewayNameKey: "edge", plan.GatewayNamespaceKey: s.Name}, "*.shop.example.com")
	s.annotate("typo", map[string]string{plan.GatewayNameKey: "egde"}, "typo.example.com")
	return s
}

// byOperator is a listener as the gateway-cert-operator wrote it.
func (s *scene) byOperator(certificate, hostname string) gatewayv1.Listener {
	spelled := strings.NewReplacer("*", "wildcard", ".", "-").Replace(hostname)
	return gatewayv1.Listener{
		Name:     gatewayv1.SectionName("auto-" + certificate + "-" + spelled),
		Hostname: new(gatewayv1.Hostname(hostname)), Port: 443, Protocol: gatewayv1.HTTPSProtocolType,
		AllowedRoutes: &gatewayv1.AllowedRoutes{Namespaces: &gatewayv1.RouteNamespaces{From: new(gatewayv1.NamespacesFromAll)}},
		TLS: &gatewayv1.ListenerTLSConfig{
			Mode: new(gatewayv1.TLSModeTerminate),
			CertificateRefs: []gatewayv1.SecretObjectReference{{
				Group: new(gatewayv1.Group("")), Kind: new(gatewayv1.Kind("Secret")),
				Name: gatewayv1.ObjectName(certificate + "-tls"), Namespace: new(gatewayv1.Namespace(s.Name)),
			}},
		},
	}
}

// annotate makes a Certificate as the gateway-cert-operator wanted it.
func (s *scene) annotate(name string, annotations map[string]string, dnsNames ...string) {
	s.t.Helper()
	_, err := s.Certificates.Create(s.t.Context(), &certmanagerv1.Certificate{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: annotations, Labels: map[string]string{"a": "b"}},
		Spec: certmanagerv1.CertificateSpec{
			SecretName: name + "-tls", DNSNames: dnsNames, IssuerRef: cmmeta.IssuerReference{Name: "ca"},
		},
	}, metav1.CreateOptions{})
	namespace.Must(s.t, err)
}

// migrate runs the command in the namespace and holds it to its exit code.
func (s *scene) migrate(wantCode int, args ...string) (stdout, stderr string) {
	s.t.Helper()
	stdout, stderr, code := s.run(append([]string{"migrate", "-n", s.Name}, args...)...)
	if code != wantCode {
		s.t.Fatalf("migrate %s: exit code %d, want %d; it says:\n%s%s", args, code, wantCode, stderr, stdout)
	}
	return stdout, stderr
}

// versions are the resourceVersions of all that could be written to.
func (s *scene) versions() map[string]string {
	s.t.Helper()
	versions := map[string]string{}
	gateways, err := s.Gateways.List(s.t.Context(), metav1.ListOptions{})
	namespace.Must(s.t, err)
	for _, g := range gateways.Items {
		versions["Gateway "+g.Name] = g.ResourceVersion
	}
	certificates, err := s.Certificates.List(s.t.Context(), metav1.ListOptions{})
	namespace.Must(s.t, err)
	for _, c := range certificates.Items {
		versions["Certificate "+c.Name] = c.ResourceVersion
	}
	return versions
}

// labels are the Certificate's, but for those it was made with.
func (s *scene) labels(certificate string) map[string]string {
	s.t.Helper()
	c, err := s.Certificates.Get(s.t.Context(), certificate, metav1.GetOptions{})
	namespace.Must(s.t, err)
	if c.Labels["a"] != "b" {
		s.t.Errorf("Certificate %s has lost its label", certificate)
	}
	delete(c.Labels, "a")
	return c.Labels
}

// golden compares an output with testdata. The namespace's name is a new one each
// time, of one length.
func (s *scene) golden(file, got string) {
	s.t.Helper()
	golden.Check(s.t, file, strings.ReplaceAll(got, s.Name, "test-xxxxx"))
}

// readAndDecide stops where the command would begin to act.
func (s *scene) readAndDecide() (*server, report, []gatewayv1.Gateway) {
	s.t.Helper()
	flags := genericclioptions.NewConfigFlags(true)
	flags.KubeConfig = &s.kubeconfig
	api, err := connect(flags)
	namespace.Must(s.t, err)
	in, err := api.read(s.t.Context(), types.NamespacedName{Namespace: s.Name})
	namespace.Must(s.t, err)
	return api, reportOf(plan.Migrate(in)), in.Gateways
}

func writeFile(path, text string) error { return os.WriteFile(path, []byte(text), 0o600) }
