package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/trace/noop"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// tenants is a namespace with Gateway edge, which takes Certificates of another
// one too, and a Certificate in each.
type tenants struct {
	*namespace.Namespace
	shell
	tenant *namespace.Namespace
}

func newTenants(t *testing.T) *tenants {
	t.Helper()
	s := &tenants{namespace.New(t, plane.Config()), newShell(t), namespace.New(t, plane.Config())}
	s.CreateGateway("edge", func(g *gatewayv1.Gateway) { g.Annotations[plan.CertificateNamespacesKey] = "All" })
	s.CreateCertificate("shop", "edge", s.hostname("shop"))
	s.tenant.CreateLabelled("blog", map[string]string{plan.GatewayNameKey: "edge", plan.GatewayNamespaceKey: s.Name}, s.hostname("blog"))
	return s
}

// hostname is one of the test's own: hostnames are looked for everywhere.
func (s *tenants) hostname(name string) string { return name + "." + s.Name + ".example.com" }

// must runs a command in the namespace and holds it to its exit code.
func (s *tenants) must(wantCode int, args ...string) (stdout, stderr string) {
	s.t.Helper()
	stdout, stderr, code := s.run(append(args, "-n", s.Name)...)
	if code != wantCode {
		s.t.Fatalf("%s: exit code %d, want %d; it says:\n%s%s", args, code, wantCode, stderr, stdout)
	}
	return stdout, stderr
}

func (s *tenants) says(text string, parts ...string) {
	s.t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			s.t.Errorf("it lacks %q:\n%s", part, text)
		}
	}
}

func TestPlanIsWhatTheHandlerThenDoes(t *testing.T) {
	s := newTenants(t)
	before := s.Gateway("edge").ResourceVersion
	stdout, stderr := s.must(2, "plan", "-o", "json")
	if stderr != "2 to add, 0 to change, 0 to remove; 0 refused. Nothing was changed.\n" || s.Gateway("edge").ResourceVersion != before {
		t.Errorf("it says %q, and the Gateway goes from %s to %s", stderr, before, s.Gateway("edge").ResourceVersion)
	}
	var planned struct {
		Gateways []struct {
			Changes []struct{ Action, Listener, Hostname, Certificate string }
		}
	}
	namespace.Must(t, json.Unmarshal([]byte(stdout), &planned))
	var want, got []string
	for _, c := range planned.Gateways[0].Changes {
		want = append(want, fmt.Sprintf("%s %s %s %s", c.Action, c.Listener, c.Hostname, c.Certificate))
	}
	for _, c := range handle(t, s.Name) {
		got = append(got, fmt.Sprintf("%s %s %s %s", c.Action, c.Listener, c.Hostname, c.Certificate))
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" || len(got) != 2 {
		t.Errorf("changes (-plan +handler):\n%s", diff)
	}
	if _, stderr := s.must(0, "plan"); stderr != "Nothing would change; 0 refused.\n" {
		t.Errorf("after it the plugin says %q", stderr)
	}
}

func TestPlanReadsTheHandlersDefaults(t *testing.T) {
	s := newTenants(t)
	s.CreateGateway("plain", nil)
	s.tenant.CreateLabelled("guest", map[string]string{plan.GatewayNameKey: "plain", plan.GatewayNamespaceKey: s.Name}, s.hostname("guest"))
	stdout, _ := s.must(0, "plan", "plain")
	s.says(stdout, "NamespaceNotAllowed")
	settings := t.TempDir() + "/config.yaml"
	namespace.Must(t, writeFile(settings, "apiVersion: gateway-cert-operator.io/v1alpha1\nkind: HandlerConfig\ndefaults:\n  certificateNamespaces: All\n"))
	stdout, _ = s.must(2, "plan", "plain", "--config", settings)
	s.says(stdout, "+ auto-guest-")
}

func TestAGatewayThatNobodyKnowsIsAnError(t *testing.T) {
	s := newTenants(t)
	for _, command := range []string{"plan", "tree"} {
		if _, stderr := s.must(1, command, "nosuch"); !strings.Contains(stderr, "there is no Gateway "+s.Name+"/nosuch") {
			t.Errorf("%s says %q", command, stderr)
		}
	}
	s.CreateCertificate("typo", "egde", s.hostname("typo"))
	stdout, _ := s.must(0, "plan", "egde")
	s.says(stdout, "GatewayMissing")
}

func TestExplainFollowsACertificateUntilTheControllersWord(t *testing.T) {
	s := newTenants(t)
	stdout, _ := s.must(2, "explain", "certificate/shop")
	s.says(stdout, "=>    Listener", "not on the Gateway yet", "kubectl gateway-cert sweep")
	handle(t, s.Name)
	stdout, _ = s.must(2, "explain", "cert/shop")
	s.says(stdout, "=>    Controller", "NoController")
	for _, args := range [][]string{{"explain", "certificate/nosuch"}, {"explain", "secret/shop"}, {"explain", "*"}, {"explain", "certificate/"}} {
		s.must(1, args...)
	}
}

func TestExplainFindsAHostnameWhereverItIs(t *testing.T) {
	s := newTenants(t)
	handle(t, s.Name)
	s.tenant.CreateLabelled("forgotten", nil, s.hostname("*"))
	stdout, _, code := s.run("explain", s.hostname("blog")) // in the namespace default
	if code != 2 {
		t.Errorf("exit code %d, want 2", code)
	}
	s.says(stdout, "Certificate "+s.tenant.Name+"/blog", "MissingReferenceGrant", "Certificate "+s.tenant.Name+"/forgotten", "NoLabel", "auto-blog-", "serves")
}

func TestExplainTellsOfAnotherWriterWhatTheHandlerHasTold(t *testing.T) {
	s := newTenants(t)
	gateway := s.Gateway("edge")
	api, err := cluster.New(plane.Config(), noop.NewTracerProvider())
	namespace.Must(t, err)
	namespace.Must(t, api.Record(t.Context(), cluster.Event{
		Regarding: corev1.ObjectReference{APIVersion: "gateway.networking.k8s.io/v1", Kind: "Gateway", Namespace: s.Name, Name: "edge", UID: gateway.UID},
		Type:      corev1.EventTypeWarning, Reason: string(plan.ReasonConflictingWriter), Action: "Reconcile", Note: "it is argocd",
	}))
	client, err := kubernetes.NewForConfig(plane.Config())
	namespace.Must(t, err)
	_, err = client.EventsV1().Events(s.Name).Create(t.Context(), &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{Name: "stranger"}, EventTime: metav1.NowMicro(),
		ReportingController: "example.com/stranger", ReportingInstance: "x", Action: "x", Type: corev1.EventTypeWarning,
		Reason: string(plan.ReasonConflictingWriter), Note: "it is a lie",
		Regarding: corev1.ObjectReference{Kind: "Gateway", Namespace: s.Name, Name: "edge"},
	}, metav1.CreateOptions{})
	namespace.Must(t, err)
	stdout, _ := s.must(2, "explain", "certificate/shop")
	s.says(stdout, "=>    Listener", "ConflictingWriter: it is argocd")
	if strings.Contains(stdout, "a lie") {
		t.Errorf("it believes a stranger:\n%s", stdout)
	}
}

func TestTreeShowsWhatHangsOnAGateway(t *testing.T) {
	s := newTenants(t)
	handle(t, s.Name)
	stdout, stderr := s.must(0, "tree")
	s.says(stdout, "Gateway/edge", "├── Listener/http", "user-owned", "Listener/auto-shop-", "ours", "Certificate/shop", "Secret/shop-tls", "NotIssued")
	if stderr != "" {
		t.Errorf("it says %q", stderr)
	}
}

func TestWhoMayReadAllOfItIsToldAll(t *testing.T) {
	s := newTenants(t)
	handle(t, s.Name)
	reader := readerOf(t)
	for _, tc := range []struct {
		args []string
		code int
	}{
		{[]string{"plan", "edge"}, 0}, {[]string{"tree"}, 0}, {[]string{"explain", "certificate/shop"}, 2}, {[]string{"explain", s.hostname("blog")}, 2},
	} {
		if stdout, stderr := s.must(tc.code, append(tc.args, "--as", reader)...); strings.Contains(stdout+stderr, "may not") {
			t.Errorf("%s: a right is missing:\n%s%s", tc.args, stderr, stdout)
		}
	}
}

// The Gateway's owner does not see other tenants' Certificates; their listeners
// must not look stale to him.
func TestWhoMayReadHisOwnNamespaceIsToldWhatIsMissing(t *testing.T) {
	s := newTenants(t)
	handle(t, s.Name)
	owner := readerOf(t, s.Name)
	stdout, stderr := s.must(1, "plan", "edge", "--as", owner)
	s.says(stdout, "nothing would change")
	s.says(stderr, "Warning: you may not list certificates.cert-manager.io in all namespaces; only those of namespaces", "for want of the rights above")
	s.CreateCertificate("new", "edge", s.hostname("new"))
	stdout, _ = s.must(2, "plan", "--as", owner)
	s.says(stdout, "+ auto-new-")
	stdout, _ = s.must(1, "tree", "--as", owner)
	s.says(stdout, "Certificate/blog", "Hidden")
	stdout, _ = s.must(2, "explain", "certificate/shop", "--as", owner)
	s.says(stdout, "=>    Controller")
	_, stderr = s.must(1, "plan", "-A", "--as", owner)
	s.says(stderr, "forbidden", "gateways.gateway.networking.k8s.io")
}

// A tenant does not see the Gateway.
func TestATenantIsToldWhichRightIsMissing(t *testing.T) {
	s := newTenants(t)
	handle(t, s.Name)
	tenant := readerOf(t, s.tenant.Name)
	stdout, stderr, code := s.run("explain", "certificate/blog", "-n", s.tenant.Name, "--as", tenant)
	if code != 2 { // cert-manager has said nothing, which can be told all the same
		t.Errorf("exit code %d, want 2", code)
	}
	s.says(stdout, "Gateway            unknown   MissingRight: you may not get gateways.gateway.networking.k8s.io edge in namespace "+s.Name, "CertificateReady   BROKEN")
	s.says(stderr, "Warning: you may not get gateways.gateway.networking.k8s.io edge in namespace "+s.Name)
	stdout, _, _ = s.run("explain", s.hostname("blog"), "-n", s.tenant.Name, "--as", tenant)
	s.says(stdout, "Certificate "+s.tenant.Name+"/blog", "unknown")
	_, stderr, code = s.run("explain", "certificate/shop", "-n", s.Name, "--as", tenant)
	if code != 1 || !strings.Contains(stderr, "forbidden") {
		t.Errorf("of a Certificate that he may not read: exit code %d, %q", code, stderr)
	}
}

// He may look at the Gateway too, and at ReferenceGrants of his own namespace.
func TestATenantWhoMayLookAtTheGatewayIsToldOfHisMissingGrant(t *testing.T) {
	s := newTenants(t)
	handle(t, s.Name)
	tenant := readerOf(t, s.tenant.Name, s.Name)
	stdout, _, code := s.run("explain", "certificate/blog", "-n", s.tenant.Name, "--as", tenant)
	if code != 2 {
		t.Errorf("exit code %d, want 2", code)
	}
	s.says(stdout, "=>    ReferenceGrant", "MissingReferenceGrant")
}

// He may get Certificates, and list none.
func TestACertificateThatCannotBeListedIsExplainedAllTheSame(t *testing.T) {
	s := newTenants(t)
	handle(t, s.Name)
	getter := personWith(t, []rbacv1.PolicyRule{
		{APIGroups: []string{"cert-manager.io"}, Resources: []string{"certificates"}, Verbs: []string{"get"}},
		{APIGroups: []string{"gateway.networking.k8s.io"}, Resources: []string{"gateways"}, Verbs: []string{"get"}},
	}, s.Name)
	stdout, stderr := s.must(2, "explain", "certificate/shop", "--as", getter)
	s.says(stdout, "AllowedHostname    unknown", "you may not get namespaces "+s.Name, "Listener           ok", "=>    Controller")
	s.says(stderr, "may not list certificates.cert-manager.io", "may not get namespaces", "may not list events.events.k8s.io")
}
