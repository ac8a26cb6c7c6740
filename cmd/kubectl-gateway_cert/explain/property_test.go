package explain_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/explain"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/test/sample"
)

// decided are the steps on which the planner decides whether there is a listener.
var decided = []explain.Step{
	explain.StepOrigin, explain.StepNamespace, explain.StepSecretName, explain.StepHostname, explain.StepAllowedHostname,
	explain.StepPort, explain.StepNoRival, explain.StepAttach, explain.StepRoom, explain.StepAdmission,
}

func TestWhateverThereIsExplainAgreesWithThePlanner(t *testing.T) {
	seen := map[explain.Step]int{}
	for seed := range uint64(200) {
		s := randomCluster(rand.New(rand.NewPCG(seed, 1)))
		for i := range s.Certificates {
			certificate := &s.Certificates[i]
			p := s.PlanFor(s.Edge, plan.NameOf(certificate))
			for _, c := range explain.Certificate(s.View, certificate).Chains {
				seen[c.FirstBroken]++
				if fault := disagreement(c, p); fault != "" {
					t.Fatalf("seed %d, %s %s: %s\n%+v", seed, c.Certificate, c.Hostname, fault, c.Links)
				}
			}
		}
	}
	for _, step := range append(slices.Clone(decided), explain.StepListener, explain.StepNotDryRun, "") {
		if seen[step] < 5 && step != explain.StepAdmission { // the API server is not asked here
			t.Errorf("%d chains broke at %q: these clusters do not try it", seen[step], step)
		}
	}
}

// disagreement returns what the chain says that the plan does not.
func disagreement(c explain.Chain, p plan.Plan) string {
	planned := slices.ContainsFunc(p.Listeners, func(l gatewayv1.Listener) bool { return l.Name == c.Listener })
	changes := slices.ContainsFunc(p.Changes, func(change plan.Change) bool { return change.Listener == c.Listener })
	refused := slices.Contains(decided, c.FirstBroken)
	switch {
	case c.FirstBroken == explain.StepNotDryRun && !(p.DryRun && planned && changes):
		return fmt.Sprintf("broken for a dry run: %v, with listener %q planned: %v, and a change of it: %v", p.DryRun, c.Listener, planned, changes)
	case c.FirstBroken == explain.StepNotDryRun:
		return ""
	case refused && planned:
		return fmt.Sprintf("broken at %s, and listener %s is planned", c.FirstBroken, c.Listener)
	case !refused && !planned && c.FirstBroken != explain.StepNotPaused:
		return fmt.Sprintf("broken at %q, and no listener is planned", c.FirstBroken)
	case (c.FirstBroken == explain.StepListener) != changes && c.FirstBroken != explain.StepNotPaused:
		return fmt.Sprintf("broken at %q, and a change of the listener is planned: %v", c.FirstBroken, changes)
	}
	return ""
}

// randomCluster is one that the handler has looked at, and that has changed since.
func randomCluster(r *rand.Rand) *sample.Cluster {
	s := sample.New()
	one := func(values ...string) string { return values[r.IntN(len(values))] }
	change := func() {
		for _, annotation := range []struct {
			key    string
			values []string
		}{
			{plan.CertificateNamespacesKey, []string{"All", "All", "All", "Same", "nonsense", "Selector: tenant"}},
			{plan.AllowedHostnamesKey, []string{"*.com", "*.com, *", "*.example.com", "a.example.com"}},
			{plan.ListenerPortKey, []string{"443", "8443", "80", "nonsense", ""}},
			{plan.MaxListenersKey, []string{"64", "64", "3", "nonsense"}},
			{plan.AttachKey, []string{"Always", "WhenReady"}},
			{plan.PublishKey, []string{"Gateway", "Gateway", "Gateway", "elsewhere"}},
			{plan.ModeKey, []string{"Apply", "Apply", "Apply", "DryRun", "nonsense"}},
			{plan.PausedKey, []string{"false", "false", "false", "true", "nonsense"}},
		} {
			if r.IntN(4) == 0 {
				s.Annotate(annotation.key, one(annotation.values...))
			}
		}
		for range 2 {
			s.Add(randomCertificate(r, one))
		}
	}
	change()
	if r.IntN(2) == 0 {
		s.Settle()
	}
	change()
	return s
}

func randomCertificate(r *rand.Rand, one func(...string) string) (c certmanagerv1.Certificate) {
	var names []string
	for range r.IntN(4) {
		names = append(names, one("a.example.com", "b.example.com", "*.example.com", "A.example.com.", "10.0.0.1", "x.example.org"))
	}
	c = sample.Certificate(types.NamespacedName{Namespace: one("infra", "team-a", "team-b"), Name: fmt.Sprintf("%c%d", 'a'+rune(r.IntN(20)), r.IntN(1000))}, names...)
	c.Annotations = map[string]string{}
	if r.IntN(4) == 0 {
		c.Annotations[plan.ListenerPortKey] = one("9443", "80", "nonsense")
	}
	if r.IntN(6) == 0 {
		c.Annotations[plan.AllowedRoutesKey] = "nonsense"
	}
	if r.IntN(8) == 0 {
		c.Spec.SecretName = ""
	}
	if r.IntN(4) == 0 {
		c.Status.Conditions = nil
	}
	if r.IntN(12) == 0 {
		c.OwnerReferences = []metav1.OwnerReference{{APIVersion: "gateway.networking.k8s.io/v1", Kind: "Gateway", Name: "edge", Controller: new(true)}}
	}
	return c
}
