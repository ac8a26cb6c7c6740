package view_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/view"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/test/sample"
)

var own = types.NamespacedName{Namespace: "infra", Name: "own"}

// twoTenants has a listener of a Certificate beside the Gateway too.
func twoTenants() *sample.Cluster {
	c := sample.New()
	c.Add(sample.Certificate(own, "own.example.com"))
	c.Settle()
	return c
}

// withoutTeamA is what somebody sees who may read Certificates of infra only.
func withoutTeamA() *sample.Cluster {
	c := twoTenants()
	c.Certificates = c.Certificates[1:]
	c.From = map[string]bool{"infra": true}
	return c
}

func TestAPlanOfAllThatThereIsIsTheHandlers(t *testing.T) {
	c := twoTenants()
	c.Certificates[1].Spec.DNSNames = []string{"new.example.com"}
	want := plan.For(plan.Input{
		Gateway: c.Edge, Certificates: c.CertificatesOf(sample.EdgeName), Namespaces: c.Namespaces, Grants: c.Grants,
	})
	if diff := cmp.Diff(want, c.Plan(c.Edge)); diff != "" || len(want.Changes) != 2 {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
}

func TestWhatCannotBeReadDoesNotLookGone(t *testing.T) {
	for name, mutate := range map[string]func(*sample.Cluster){
		"Certificates of other namespaces": func(c *sample.Cluster) {
			c.Certificates, c.From = c.Certificates[1:], map[string]bool{"infra": true}
		},
		"a Namespace": func(c *sample.Cluster) {
			c.Annotate(plan.CertificateNamespacesKey, "Selector: tenant=yes")
			c.Closed = map[string]bool{"team-a": true}
			c.Namespaces["infra"] = metav1.ObjectMeta{Name: "infra", Labels: map[string]string{"tenant": "yes"}}
			c.Namespaces["team-a"] = metav1.ObjectMeta{Name: "team-a"}
		},
	} {
		c := twoTenants()
		mutate(c)
		if p := c.Plan(c.Edge); len(p.Changes) != 0 {
			t.Errorf("%s: changes %+v, want none", name, p.Changes)
		}
	}
}

func TestWhoCannotBeReadKeepsHisPlace(t *testing.T) {
	c := withoutTeamA()
	c.Certificates[0].Spec.DNSNames = append(c.Certificates[0].Spec.DNSNames, "app.example.com")
	p := c.Plan(c.Edge)
	onName, _ := view.About(p.Rejections, own, "app.example.com")
	if len(p.Changes) != 0 || len(onName) != 1 || onName[0].Reason != plan.ReasonHostnameTaken {
		t.Errorf("changes %+v and rejections %+v; want HostnameTaken alone", p.Changes, p.Rejections)
	}
}

func TestACertificateThatIsKnownToBeGoneIsGone(t *testing.T) {
	c := twoTenants()
	c.Certificates = c.Certificates[1:]
	if p := c.Plan(c.Edge); len(p.Changes) != 1 || p.Changes[0].Certificate != sample.AppName {
		t.Errorf("changes %+v, want the removal of app's", p.Changes)
	}
}

func TestForItsOwnSakeACertificateIsJudgedAnyway(t *testing.T) {
	c := twoTenants()
	c.Closed = map[string]bool{"team-a": true}
	c.Annotate(plan.PausedKey, "true")
	c.App.Spec.DNSNames = []string{"new.example.com"}
	if p := c.PlanFor(c.Edge, sample.AppName); p.Paused || len(p.Changes) != 2 {
		t.Errorf("paused: %v, changes %+v; want one listener to come and one to go", p.Paused, p.Changes)
	}
}

func TestOwnersAreKnownWhateverCanBeRead(t *testing.T) {
	want := map[gatewayv1.SectionName]types.NamespacedName{
		"auto-app-app-example-com": sample.AppName, "auto-own-own-example-com": own,
	}
	for name, mutate := range map[string]func(*sample.Cluster){
		"all":                  func(*sample.Cluster) {},
		"no other namespace":   func(c *sample.Cluster) { c.Certificates, c.From = c.Certificates[1:], map[string]bool{"infra": true} },
		"paused":               func(c *sample.Cluster) { c.Annotate(plan.PausedKey, "true") },
		"the Certificate gone": func(c *sample.Cluster) { c.Certificates = c.Certificates[1:] },
		"the ledger lost":      func(c *sample.Cluster) { delete(c.Edge.Annotations, plan.LedgerKey) },
		"what is not ours": func(c *sample.Cluster) {
			c.Annotate(plan.LedgerKey, `{"http":"infra/own","auto-app-app-example-com":"team-a/app"}`)
		},
		"a Namespace is closed": func(c *sample.Cluster) { c.Closed = map[string]bool{"team-a": true} },
	} {
		c := twoTenants()
		mutate(c)
		if diff := cmp.Diff(want, c.Owners(c.Edge)); diff != "" {
			t.Errorf("%s: owners (-want +got):\n%s", name, diff)
		}
	}
}

func TestConcernedAreTheMarkedAndTheNamed(t *testing.T) {
	c := sample.New()
	for _, name := range []string{"plain", "marked", "unmarked"} {
		c.Gateways[types.NamespacedName{Namespace: "other", Name: name}] = &gatewayv1.Gateway{}
	}
	c.Gateways[types.NamespacedName{Namespace: "other", Name: "marked"}].Labels = map[string]string{plan.ManagedKey: plan.ManagedValue}
	c.Gateways[types.NamespacedName{Namespace: "other", Name: "unmarked"}].Labels = map[string]string{plan.ManagedKey: "false"}
	missing := sample.Certificate(types.NamespacedName{Namespace: "team-b", Name: "typo"})
	missing.Labels[plan.GatewayNameKey] = "egde"
	c.Add(missing)
	for namespace, want := range map[string][]types.NamespacedName{
		"":       {sample.EdgeName, {Namespace: "infra", Name: "egde"}, {Namespace: "other", Name: "marked"}},
		"infra":  {sample.EdgeName, {Namespace: "infra", Name: "egde"}},
		"team-b": nil,
	} {
		if diff := cmp.Diff(want, c.Concerned(namespace)); diff != "" {
			t.Errorf("namespace %q (-want +got):\n%s", namespace, diff)
		}
	}
}
