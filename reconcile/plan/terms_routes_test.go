package plan_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// routesFrom says whose routes a listener takes: "All", "Same", or the labels of
// which it selects each, of a few.
func routesFrom(t *testing.T, l gatewayv1.Listener) string {
	t.Helper()
	from := l.AllowedRoutes.Namespaces
	if from.Selector == nil {
		return string(*from.From)
	}
	selector, err := metav1.LabelSelectorAsSelector(from.Selector)
	if err != nil || selector.Empty() || *from.From != gatewayv1.NamespacesFromSelector {
		t.Fatalf("allowedRoutes.namespaces = %+v, error %v; want a selector of something", from, err)
	}
	var selected []string
	for _, set := range []labels.Set{
		{"kubernetes.io/metadata.name": "infra"}, {"kubernetes.io/metadata.name": "team-a"}, {"a": "b"}, {"a": "c"}, {},
	} {
		if selector.Matches(set) {
			selected = append(selected, set.String())
		}
	}
	return strings.Join(selected, " or ")
}

func TestWhoseRoutesAListenerServes(t *testing.T) {
	const none = "-" // no annotation
	const infra, teamA = "kubernetes.io/metadata.name=infra", "kubernetes.io/metadata.name=team-a"
	for _, tc := range []struct{ name, namespace, gateway, certificate, want string }{
		{"nobody says, own namespace", "infra", none, none, "All"},
		{"nobody says, a tenant", "team-a", none, none, teamA},

		{"the Certificate says All", "team-a", none, "All", "All"},
		{"the Certificate says Same", "team-a", none, "Same", "Same"},
		{"the Certificate says CertificateNamespace", "infra", none, "CertificateNamespace", infra},
		{"the Certificate says Selector", "team-a", none, "Selector: a=b", "a=b"},

		{"the Gateway says All", "team-a", "All", none, "All"},
		{"the Gateway says Same", "team-a", "Same", none, "Same"},
		{"the Gateway says CertificateNamespace", "infra", "CertificateNamespace", none, infra},
		{"the Gateway says Selector", "team-a", "Selector: a=b", none, "a=b"},

		{"both say, All against Same", "infra", "All", "Same", "All"},
		{"both say, Same against All", "infra", "Same", "All", "Same"},
		{"both say, CertificateNamespace against All", "team-a", "CertificateNamespace", "All", teamA},
		{"both say, Selector against All", "infra", "Selector: a=b", "All", "a=b"},
		{"the Gateway's word spares the Certificate's slip", "infra", "Same", "all", "Same"},
		{"the Gateway's slip is stricter than the Certificate's word", "team-a", "all", "All", teamA},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := baseInput()
			annotate(in.Gateway, plan.CertificateNamespacesKey, "All")
			app(in).Namespace = tc.namespace
			if tc.gateway != none {
				annotate(in.Gateway, plan.AllowedRoutesKey, tc.gateway)
			}
			if tc.certificate != none {
				annotate(app(in), plan.AllowedRoutesKey, tc.certificate)
			}
			if got := routesFrom(t, plan.For(*in).Listeners[1]); got != tc.want {
				t.Errorf("routes from %s, want %s", got, tc.want)
			}
		})
	}
}

func TestTheCertificatesRoutesThatCannotBeRead(t *testing.T) {
	for _, says := range []string{"", "all", "Selector:", "Selector: ", "Selector: a in (", "Selector: a>1", "None"} {
		t.Run(says, func(t *testing.T) {
			in := baseInput()
			annotate(app(in), plan.AllowedRoutesKey, says)
			p := plan.For(*in)
			if got, want := routesFrom(t, p.Listeners[1]), "kubernetes.io/metadata.name=infra"; got != want {
				t.Errorf("routes from %s, want %s", got, want)
			}
			if len(p.Rejections) != 1 || p.Rejections[0].Reason != plan.ReasonMalformedAnnotation || p.Rejections[0].Certificate != named("infra", "app") {
				t.Errorf("rejections = %+v, want one %s of infra/app", p.Rejections, plan.ReasonMalformedAnnotation)
			}
		})
	}
}

// A selector means in a listener what it means in a Kubernetes label selector.
func TestASelectorOfRoutesSelectsWhatItSays(t *testing.T) {
	var namespaces []labels.Set
	for _, env := range []string{"", "dev", "prod"} {
		for _, tier := range []string{"", "gold", "silver"} {
			namespaces = append(namespaces, labels.Set(with(with(nil, "env", env), "tier", tier)))
		}
	}
	for _, selector := range []string{
		"env=prod", "env==prod", "env!=prod", "env!=prod,tier", "env=prod,tier=gold", "env in (dev,prod)", "env notin (dev)", "env", "!env", "env,!tier",
		"env=prod,env=dev", "env=dev,env=prod", "env in (dev),env in (prod)", "env=prod,env notin (prod)",
	} {
		t.Run(selector, func(t *testing.T) {
			in := baseInput()
			annotate(in.Gateway, plan.AllowedRoutesKey, "Selector: "+selector)
			said, err := labels.Parse(selector)
			if err != nil {
				t.Fatalf("the test's own selector: %v", err)
			}
			written, err := metav1.LabelSelectorAsSelector(plan.For(*in).Listeners[1].AllowedRoutes.Namespaces.Selector)
			if err != nil {
				t.Fatalf("the listener's selector: %v", err)
			}
			for _, namespace := range namespaces {
				if got, want := written.Matches(namespace), said.Matches(namespace); got != want {
					t.Errorf("a namespace with labels %v is selected: %v, want %v", namespace, got, want)
				}
			}
		})
	}
}
