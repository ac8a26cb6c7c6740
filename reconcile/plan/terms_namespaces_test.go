package plan_test

import (
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// namespace is one as the API server gives it, with the label that it sets.
func namespace(name string, labels map[string]string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Labels: with(labels, "kubernetes.io/metadata.name", name)}
}

func TestWhoseCertificatesMayAttach(t *testing.T) {
	for says, want := range map[string]string{
		"Same": "infra.com",
		"All":  "a.com b.com infra.com",
		"Selector: kubernetes.io/metadata.name=team-a":          "a.com",
		"Selector:team=true":                                    "a.com b.com",
		"Selector: team=true,tier=gold":                         "a.com",
		"Selector: tier in (gold, silver)":                      "a.com b.com",
		"Selector: tier notin (gold)":                           "b.com infra.com",
		"Selector: tier!=gold":                                  "b.com infra.com",
		"Selector: tier":                                        "a.com b.com",
		"Selector: !tier":                                       "infra.com",
		"Selector: kubernetes.io/metadata.name notin (team-b)":  "a.com infra.com",
		"Selector: kubernetes.io/metadata.name in (infra,team)": "infra.com",
		"Selector: tier=bronze":                                 "",
	} {
		t.Run(says, func(t *testing.T) {
			in := threeNamespaces()
			annotate(in.Gateway, plan.CertificateNamespacesKey, says)
			if got := attached(plan.For(*in)); got != want {
				t.Errorf("attached: %s, want %s", got, want)
			}
		})
	}
}

// threeNamespaces is the base Gateway with a Certificate of its own namespace
// and one of each of two tenants'.
func threeNamespaces() *plan.Input {
	return &plan.Input{
		Gateway: baseGateway(),
		Certificates: []certmanagerv1.Certificate{
			certificate("infra", "i", "infra.com"), certificate("team-a", "a", "a.com"), certificate("team-b", "b", "b.com"),
		},
		Namespaces: map[string]metav1.ObjectMeta{
			"infra":  namespace("infra", nil),
			"team-a": namespace("team-a", map[string]string{"team": "true", "tier": "gold"}),
			"team-b": namespace("team-b", map[string]string{"team": "true", "tier": "silver"}),
		},
	}
}

func TestASelectorAsksTheGatewaysOwnNamespaceToo(t *testing.T) {
	in := threeNamespaces()
	annotate(in.Gateway, plan.CertificateNamespacesKey, "Selector: team=true")
	p := plan.For(*in)
	if len(p.Rejections) != 1 || p.Rejections[0].Reason != plan.ReasonNamespaceNotAllowed || p.Rejections[0].Certificate != named("infra", "i") {
		t.Errorf("rejections = %+v, want %s of infra/i alone", p.Rejections, plan.ReasonNamespaceNotAllowed)
	}
}

func TestACertificateOfANamespaceThatLosesItsLabelGoes(t *testing.T) {
	in := threeNamespaces()
	annotate(in.Gateway, plan.CertificateNamespacesKey, "Selector: tier=gold")
	after := settled(*in)
	after.Namespaces["team-a"] = namespace("team-a", nil)
	if got := attached(plan.For(after)); got != "" {
		t.Errorf("attached: %s, want nothing", got)
	}
}

func TestACertificateWhoseNamespaceIsGoneIsGoneWithIt(t *testing.T) {
	in := settled(*baseInput())
	in.Namespaces = map[string]metav1.ObjectMeta{}
	p := plan.For(in)
	if got := attached(p); got != "" {
		t.Errorf("attached: %s, want nothing", got)
	}
	if len(p.Rejections)+len(p.Notes) != 0 {
		t.Errorf("rejections %v and notes %v, want none", p.Rejections, p.Notes)
	}
}

func TestNamespacesThatAreNotKnownAreThereWithoutLabels(t *testing.T) {
	for says, want := range map[string]string{
		"Same":                "infra.com",
		"All":                 "a.com b.com infra.com",
		"Selector: team=true": "",
		"Selector: !team":     "a.com b.com infra.com",
	} {
		t.Run(says, func(t *testing.T) {
			in := threeNamespaces()
			in.Namespaces = nil
			annotate(in.Gateway, plan.CertificateNamespacesKey, says)
			if got := attached(plan.For(*in)); got != want {
				t.Errorf("attached: %s, want %s", got, want)
			}
		})
	}
}

func TestNamespacesOfNamesEachOnce(t *testing.T) {
	in := threeNamespaces()
	in.Certificates = append(in.Certificates, certificate("team-a", "z"))
	got := plan.NamespacesOf(in.Certificates)
	if diff := cmp.Diff([]string{"infra", "team-a", "team-b"}, got); diff != "" {
		t.Errorf("NamespacesOf (-want +got):\n%s", diff)
	}
}
