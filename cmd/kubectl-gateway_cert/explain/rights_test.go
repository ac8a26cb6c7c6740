package explain_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/explain"
	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/view"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/test/sample"
)

func TestWhatCannotBeReadIsUnknownAndNotBroken(t *testing.T) {
	closed := func(s *sample.Cluster) {
		s.Closed = map[string]bool{"team-a": true}
		s.Namespaces["team-a"] = metav1.ObjectMeta{Name: "team-a"}
		s.Miss(view.Gap{Verb: "get", Resource: "namespaces", Name: "team-a"})
	}
	for _, tc := range []struct {
		name   string
		mutate func(*sample.Cluster)
		step   explain.Step
		says   string
		holds  []explain.Step // all the same
	}{
		{"the Gateway", func(s *sample.Cluster) {
			delete(s.Gateways, sample.EdgeName)
			s.Hidden = map[types.NamespacedName]bool{sample.EdgeName: true}
			s.Miss(view.Gap{Verb: "get", Resource: "gateways.gateway.networking.k8s.io", Namespace: "infra", Name: "edge"})
		}, explain.StepGateway, "you may not get gateways.gateway.networking.k8s.io edge in namespace infra", []explain.Step{explain.StepHostname, explain.StepCertificateReady}},
		{"the Namespace's labels", func(s *sample.Cluster) {
			s.Annotate(plan.CertificateNamespacesKey, "Selector: tenant=yes")
			closed(s)
		}, explain.StepNamespace, "you may not get namespaces team-a", []explain.Step{explain.StepHostname}},
		{"the Namespace's annotations", closed, explain.StepAllowedHostname, "allowed-hostnames", []explain.Step{explain.StepNamespace, explain.StepListener}},
		{"other Certificates", func(s *sample.Cluster) {
			s.Unwritten()
			s.From = map[string]bool{"team-a": true}
			s.Miss(view.Gap{Verb: "list", Resource: "certificates.cert-manager.io"})
		}, explain.StepNoRival, "you may not list certificates.cert-manager.io in all namespaces", []explain.Step{explain.StepPort}},
		{"the ReferenceGrants", func(s *sample.Cluster) {
			s.Grants = nil
			s.Miss(view.Gap{Verb: "list", Resource: "referencegrants.gateway.networking.k8s.io", Namespace: "team-a"})
		}, explain.StepReferenceGrant, "you may not list referencegrants", []explain.Step{explain.StepController}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := sample.New()
			tc.mutate(s)
			r := explain.Certificate(s.View, s.App)
			c := r.Chains[0]
			if link := of(t, c, tc.step); c.FirstUnknown != tc.step || !strings.Contains(link.Detail, tc.says) || link.Remedy == "" {
				t.Errorf("the first unknown link is %q and %s is %+v; want it to say %q", c.FirstUnknown, tc.step, link, tc.says)
			}
			for _, step := range tc.holds {
				if link := of(t, c, step); link.State != explain.OK {
					t.Errorf("link %s is %+v, want OK", step, link)
				}
			}
			if tc.name != "other Certificates" && r.Answer != explain.CannotTell {
				t.Errorf("the answer is %s, want CannotTell", r.Answer)
			}
		})
	}
}

func TestAHolderNeedFearNoRivalThatCannotBeRead(t *testing.T) {
	s := sample.New()
	s.From = map[string]bool{"team-a": true}
	if c := chain(s); !c.Holds() {
		t.Errorf("broken %q, unknown %q; want neither", c.FirstBroken, c.FirstUnknown)
	}
}

func TestWithoutAnyCertificateToReadItCannotBeTold(t *testing.T) {
	s := sample.New()
	s.Certificates, s.From = nil, map[string]bool{}
	s.Miss(view.Gap{Verb: "list", Resource: "certificates.cert-manager.io"})
	if r := explain.Hostname(s.View, "nobody.example.com"); r.Answer != explain.CannotTell {
		t.Errorf("the answer is %s, want CannotTell", r.Answer)
	}
}
