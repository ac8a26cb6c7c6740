package cluster_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	admissionclient "k8s.io/client-go/kubernetes/typed/admissionregistration/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// admissionTakesEffect is how long the API server may take to heed a new policy
// or webhook, which it learns of by a watch and weighs once a second.
const admissionTakesEffect = 30 * time.Second

func TestADenialByAPolicyIsARefusalThatBlamesNone(t *testing.T) {
	for name, reason := range map[string]*metav1.StatusReason{
		"with no reason of its own, as Invalid": nil,
		"as Forbidden":                          new(metav1.StatusReasonForbidden),
		"as RequestEntityTooLarge":              new(metav1.StatusReasonRequestEntityTooLarge),
	} {
		t.Run(name, func(t *testing.T) {
			l := newLive(t)
			l.denyHostname(t, "denied.example.com", reason)
			gateway := l.createGateway(nil)
			denied := planFor(gateway, "a.example.com", "denied.example.com")
			err := l.tryUntilRefused(t, func() error { return l.Try(t.Context(), gateway, denied) })
			_, writeErr := l.Write(t.Context(), gateway, denied)
			for _, err := range []error{err, writeErr} {
				if got := blamed(t, err); len(got) != 0 || !strings.Contains(err.Error(), "not this hostname") {
					t.Errorf("error = %v, which blames %v; want the policy's words, and no one blamed", err, got)
				}
			}
			if err := l.Try(t.Context(), gateway, planFor(gateway, "a.example.com")); err != nil {
				t.Errorf("Try = %v of what the policy allows", err)
			}
		})
	}
}

// tryUntilRefused returns the first refusal.
func (l *live) tryUntilRefused(t *testing.T, try func() error) (refusal error) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, admissionTakesEffect, true, func(context.Context) (bool, error) {
		refusal = try()
		return errors.Is(refusal, cluster.ErrRefused), nil
	})
	if err != nil {
		t.Fatalf("not refused within %s; last: %v", admissionTakesEffect, refusal)
	}
	return refusal
}

// denyHostname adds a policy for the Gateways of this namespace alone.
func (l *live) denyHostname(t *testing.T, hostname gatewayv1.Hostname, reason *metav1.StatusReason) {
	t.Helper()
	admission := admissionClient(t)
	policy := &admissionregistrationv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: l.user.Name},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: &admissionregistrationv1.MatchResources{
				NamespaceSelector: l.thisNamespace(),
				ResourceRules:     []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: gatewayUpdates()}},
			},
			Validations: []admissionregistrationv1.Validation{{
				Expression: `object.spec.listeners.all(l, !has(l.hostname) || l.hostname != "` + string(hostname) + `")`,
				Message:    "not this hostname",
				Reason:     reason,
			}},
		},
	}
	binding := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: l.user.Name},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName:        policy.Name,
			ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
		},
	}
	policies, bindings := admission.ValidatingAdmissionPolicies(), admission.ValidatingAdmissionPolicyBindings()
	_, err := policies.Create(t.Context(), policy, metav1.CreateOptions{})
	namespace.Must(t, err)
	t.Cleanup(func() {
		namespace.Must(t, policies.Delete(context.WithoutCancel(t.Context()), policy.Name, metav1.DeleteOptions{}))
	})
	_, err = bindings.Create(t.Context(), binding, metav1.CreateOptions{})
	namespace.Must(t, err)
	t.Cleanup(func() {
		namespace.Must(t, bindings.Delete(context.WithoutCancel(t.Context()), binding.Name, metav1.DeleteOptions{}))
	})
}

func admissionClient(t *testing.T) admissionclient.AdmissionregistrationV1Interface {
	t.Helper()
	client, err := kubernetes.NewForConfig(plane.Config())
	namespace.Must(t, err)
	return client.AdmissionregistrationV1()
}

func (l *live) thisNamespace() *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: l.user.Name}}
}

func gatewayUpdates() admissionregistrationv1.RuleWithOperations {
	return admissionregistrationv1.RuleWithOperations{
		Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Update},
		Rule: admissionregistrationv1.Rule{
			APIGroups: []string{gatewayv1.GroupName}, APIVersions: []string{"v1"}, Resources: []string{"gateways"},
		},
	}
}
