package cases

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/wait"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
)

const (
	forbidden = ".forbidden.example.com"
	// admissionTakesEffect is how long the API server may take to heed a new
	// policy or webhook, which it learns of by a watch and weighs once a second.
	admissionTakesEffect = 30 * time.Second
)

func TestWhatAPolicyRefusesIsLeftOutAndOfferedAgainOnlyAfterAChange(t *testing.T) {
	s := newServedScene(t)
	policy := s.forbid()
	refused := func(o reconcile.Outcome) {
		t.Helper()
		expectFindings(t, o, "RefusedByServer app x"+forbidden, "RefusedByServer app y"+forbidden, "SharedSecret app")
	}
	want := func(secret string, more ...string) []string {
		var all []string
		for _, host := range append([]string{"app", "a", "b", "c"}, more...) {
			all = append(all, fmt.Sprintf("auto-app-%s-example-com %s.example.com:443 %s", strings.ReplaceAll(host, ".", "-"), host, secret))
		}
		return all
	}
	o := s.ask(app, "app.example.com", "a.example.com", "x"+forbidden, "b.example.com", "y"+forbidden, "c.example.com")
	refused(o)
	for _, about := range []metav1.Object{s.certificate(app), s.Gateway(edge)} {
		s.event(about, corev1.EventTypeWarning, plan.ReasonRefusedByServer,
			"x"+forbidden, "y"+forbidden, "no such hostname here")
	}
	s.expect(want("app-tls")...)
	refused(s.unwritten(func() reconcile.Outcome { return s.again(app) }))
	_, another := newReplica(t) // one that has only the ledger to know it from
	s.reconciler, another = another, s.reconciler
	refused(s.look())
	s.reconciler = another

	for name, change := range map[string]func() reconcile.Outcome{
		"the Certificate": func() reconcile.Outcome {
			return s.change(app, func(c *certmanagerv1.Certificate) { c.Spec.SecretName = "new-tls" })
		},
		"a user-owned listener": func() reconcile.Outcome {
			s.updateGateway(addListener(httpListener("more", 8080)))
			return s.look()
		},
		"another Certificate": func() reconcile.Outcome { return s.add("two", "two.example.com") },
	} {
		writes := s.cluster.writes.Load()
		refused(change())
		if s.cluster.writes.Load() == writes {
			t.Errorf("after a change of %s they were not offered again", name)
		}
		refused(s.unwritten(s.look))
	}
	s.lift(policy)
	refused(s.unwritten(s.look)) // nobody tells us that the policy has gone
	s.updateGateway(removeListener("more"))
	expectFindings(t, s.writtenOnce(s.look), "SharedSecret app")
	s.expect(append(want("new-tls"), "auto-two-two-example-com two.example.com:443 two-tls",
		"auto-app-x-forbidden-example-com x"+forbidden+":443 new-tls", "auto-app-y-forbidden-example-com y"+forbidden+":443 new-tls")...)
}

func TestARemovalAndAChangeAreDoneBesideWhatAPolicyRefuses(t *testing.T) {
	s := newScene(t)
	s.ask(app, "app.example.com", "old.example.com")
	s.forbid()
	o := s.change(app, func(c *certmanagerv1.Certificate) {
		c.Spec.SecretName, c.Spec.DNSNames = "new-tls", []string{"x" + forbidden, "app.example.com", "new.example.com"}
	})
	expectFindings(t, o, "RefusedByServer app x"+forbidden, "SharedSecret app")
	s.expect("auto-app-app-example-com app.example.com:443 new-tls", "auto-app-new-example-com new.example.com:443 new-tls")

	expectFindings(t, s.ask(app, "app.example.com"))
	s.expect("auto-app-app-example-com app.example.com:443 new-tls")
}

func TestM06TheServersRefusalTenTimesIsOneEventCountedUp(t *testing.T) {
	s := newScene(t)
	s.forbid()
	s.ask(app, "x"+forbidden)
	for range 9 {
		s.again(app)
	}
	e := s.event(s.certificate(app), corev1.EventTypeWarning, plan.ReasonRefusedByServer, "no such hostname here")
	if n := times(e); n != 10 {
		t.Errorf("said %d times, want 10", n)
	}
}

func TestAnEventNamesEachOfManyHostnamesThatThePolicyRefuses(t *testing.T) {
	s := newScene(t)
	s.forbid()
	var dnsNames []string
	for i := range 8 {
		dnsNames = append(dnsNames, fmt.Sprintf("x%d%s", i, forbidden))
	}
	s.ask(app, dnsNames...)
	s.event(s.certificate(app), corev1.EventTypeWarning, plan.ReasonRefusedByServer, dnsNames...)
}

// forbid adds a policy against some hostnames on this namespace's Gateways.
func (s *scene) forbid() (policy string) {
	s.t.Helper()
	admission := s.core.AdmissionregistrationV1()
	_, err := admission.ValidatingAdmissionPolicies().Create(s.t.Context(), &admissionregistrationv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: s.Name},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: &admissionregistrationv1.MatchResources{
				NamespaceSelector: s.itself(),
				ResourceRules:     []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: gatewayUpdates()}},
			},
			Validations: []admissionregistrationv1.Validation{{
				Expression: fmt.Sprintf(`object.spec.listeners.all(l, !has(l.hostname) || !l.hostname.endsWith(%q))`, forbidden),
				Message:    "no such hostname here",
			}},
		},
	}, metav1.CreateOptions{})
	must(s.t, err)
	_, err = admission.ValidatingAdmissionPolicyBindings().Create(s.t.Context(), &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: s.Name},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName:        s.Name,
			ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
		},
	}, metav1.CreateOptions{})
	must(s.t, err)
	s.untilForbidden(true)
	return s.Name
}

func (s *scene) lift(policy string) {
	s.t.Helper()
	admission := s.core.AdmissionregistrationV1()
	must(s.t, admission.ValidatingAdmissionPolicyBindings().Delete(s.t.Context(), policy, metav1.DeleteOptions{}))
	must(s.t, admission.ValidatingAdmissionPolicies().Delete(s.t.Context(), policy, metav1.DeleteOptions{}))
	s.untilForbidden(false)
}

// untilForbidden waits until a dry run is refused, or no longer so.
func (s *scene) untilForbidden(want bool) {
	s.t.Helper()
	var last error
	err := wait.PollUntilContextTimeout(s.t.Context(), 50*time.Millisecond, admissionTakesEffect, true, func(ctx context.Context) (bool, error) {
		gateway := s.Gateway(edge)
		addListener(tlsListener("probe", gatewayv1.HTTPSProtocolType, "probe"+forbidden))(gateway)
		_, last = s.Gateways.Update(ctx, gateway, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
		return (last != nil) == want, nil
	})
	if err != nil {
		s.t.Fatalf("refused is not %v within %s; last: %v", want, admissionTakesEffect, last)
	}
}

// itself selects the namespace.
func (s *scene) itself() *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: s.Name}}
}

func gatewayUpdates() admissionregistrationv1.RuleWithOperations {
	return admissionregistrationv1.RuleWithOperations{
		Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Update},
		Rule: admissionregistrationv1.Rule{
			APIGroups: []string{gatewayv1.GroupName}, APIVersions: []string{"v1"}, Resources: []string{"gateways"},
		},
	}
}

// No listener that the planner lets through is refused by the API server's own
// rules, so a webhook stands in that answers as they do.
func TestWhatIsRefusedByItsIndexIsLeftOutWithoutADryRun(t *testing.T) {
	if os.Getenv(controlplane.ExistingClusterVariable) != "" {
		t.Skip("an API server elsewhere cannot call a webhook here")
	}
	s := newScene(t)
	s.ask(app, "app.example.com", "old.example.com", "stays.example.com")
	s.updateGateway(addListener(httpListener("more", 8080)))
	s.askWebhook()
	o := s.ask(app, "x"+forbidden, "a.example.com", "y"+forbidden, "app.example.com", "stays.example.com")
	expectFindings(t, o, "RefusedByServer app x"+forbidden, "RefusedByServer app y"+forbidden, "SharedSecret app")
	s.event(s.certificate(app), corev1.EventTypeWarning, plan.ReasonRefusedByServer, "x"+forbidden, "y"+forbidden, "no such hostname here")
	s.expect(
		"auto-app-app-example-com app.example.com:443 app-tls",
		"auto-app-stays-example-com stays.example.com:443 app-tls",
		"auto-app-a-example-com a.example.com:443 app-tls",
	)
	if tries := s.cluster.tries.Load(); tries != 0 {
		t.Errorf("%d dry runs, want none", tries)
	}
}

// askWebhook has the API server ask a webhook that denies hostnames by their
// index, and waits until it does.
func (s *scene) askWebhook() {
	s.t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(review))
	s.t.Cleanup(server.Close)
	webhooks := s.core.AdmissionregistrationV1().ValidatingWebhookConfigurations()
	_, err := webhooks.Create(s.t.Context(), &admissionregistrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: s.Name},
		Webhooks: []admissionregistrationv1.ValidatingWebhook{{
			Name: "hostnames.example.com",
			ClientConfig: admissionregistrationv1.WebhookClientConfig{
				URL:      new(server.URL),
				CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
			},
			Rules:                   []admissionregistrationv1.RuleWithOperations{gatewayUpdates()},
			NamespaceSelector:       s.itself(),
			SideEffects:             new(admissionregistrationv1.SideEffectClassNone),
			AdmissionReviewVersions: []string{"v1"},
		}},
	}, metav1.CreateOptions{})
	must(s.t, err)
	s.t.Cleanup(func() {
		must(s.t, webhooks.Delete(context.WithoutCancel(s.t.Context()), s.Name, metav1.DeleteOptions{}))
	})
	s.untilForbidden(true)
}

func review(out http.ResponseWriter, in *http.Request) {
	var r admissionv1.AdmissionReview
	var gateway gatewayv1.Gateway
	err := json.NewDecoder(in.Body).Decode(&r)
	if err == nil {
		err = json.Unmarshal(r.Request.Object.Raw, &gateway)
	}
	if err != nil {
		http.Error(out, err.Error(), http.StatusBadRequest)
		return
	}
	var errs field.ErrorList
	for i, l := range gateway.Spec.Listeners {
		if l.Hostname != nil && strings.HasSuffix(string(*l.Hostname), forbidden) {
			errs = append(errs, field.Invalid(field.NewPath("spec", "listeners").Index(i).Child("hostname"), *l.Hostname, "no such hostname here"))
		}
	}
	r.Response = &admissionv1.AdmissionResponse{UID: r.Request.UID, Allowed: len(errs) == 0}
	if len(errs) > 0 {
		r.Response.Result = new(apierrors.NewInvalid(schema.GroupKind{Group: gatewayv1.GroupName, Kind: "Gateway"}, gateway.Name, errs).Status())
	}
	out.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(out).Encode(r)
}

func TestRefusalsThatWereMetAtDifferentTimesAreAllRemembered(t *testing.T) {
	s := newScene(t)
	s.forbid()
	s.ask(app, "app.example.com", "x"+forbidden)
	s.ask(app, "app.example.com", "x"+forbidden, "y"+forbidden)
	s.add("other", "other.example.com", "z"+forbidden)
	for range 3 {
		s.unwritten(s.look)
	}
}
