package cases

import (
	"encoding/json"
	"testing"

	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// patchNamespace sets labels and annotations.
func (s *scene) patchNamespace(name string, labels, annotations map[string]any) {
	s.t.Helper()
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": labels, "annotations": annotations}})
	must(s.t, err)
	_, err = s.core.CoreV1().Namespaces().Patch(s.t.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{})
	must(s.t, err)
}

func TestTheNamespacesThatASelectorSelectsMayAttach(t *testing.T) {
	s := newScene(t)
	s.updateGateway(annotate(plan.CertificateNamespacesKey, "Selector: team in (shop, bank)"))
	team, shop := s.tenant("shop", "shop.example.com")
	_, other := s.tenant("other", "other.example.com")
	s.patchNamespace(team.Name, map[string]any{"team": "shop"}, nil)

	expectFindings(t, s.told(reconcile.Add, shop), "MissingReferenceGrant shop", "NamespaceNotAllowed app", "NamespaceNotAllowed other")
	shopListener := "auto-shop-shop-example-com shop.example.com:443 " + team.Name + "/shop-tls"
	s.expect(shopListener)
	s.event(other, corev1.EventTypeWarning, plan.ReasonNamespaceNotAllowed)

	s.patchNamespace(s.Name, map[string]any{"team": "bank"}, nil)
	s.patchNamespace(team.Name, map[string]any{"team": nil}, nil)
	expectFindings(t, s.look(), "NamespaceNotAllowed shop", "NamespaceNotAllowed other")
	s.expect(appListener)

	for _, malformed := range []string{"Selector: ", "Selector: team in", "all", ""} {
		s.updateGateway(annotate(plan.CertificateNamespacesKey, malformed))
		expectFindings(t, s.look(), "MalformedAnnotation", "NamespaceNotAllowed shop", "NamespaceNotAllowed other")
		s.expect(appListener)
	}
	told := map[string]int{}
	for _, e := range s.events(s.Gateway(edge)) {
		told[e.Reason]++
	}
	want := map[string]int{"MalformedAnnotation": 4, "ListenersAdded": 1, "ListenersDisrupted": 1}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("Events about the Gateway, want one for each annotation that cannot be read, one for the listeners that came and one for shop's that went (-want +got):\n%s", diff)
	}
}

func TestANamespaceMayBeBoundToHostnamesOnWhateverGateway(t *testing.T) {
	s := newScene(t)
	s.updateGateway(annotate(plan.CertificateNamespacesKey, "All"))
	team, shop := s.tenant("shop", "a.shop.example.com", "shop.example.com", "*.shop.example.com", "bank.example.com", "*.example.com")
	s.patchNamespace(team.Name, nil, map[string]any{plan.AllowedHostnamesKey: "*.shop.example.com, bank.example.com"})

	outside := []string{"HostnameNotAllowed shop shop.example.com", "HostnameNotAllowed shop *.example.com", "MissingReferenceGrant shop"}
	expectFindings(t, s.told(reconcile.Add, shop), append(outside, "SharedSecret shop")...)
	secret := ":443 " + team.Name + "/shop-tls"
	a := "auto-shop-a-shop-example-com a.shop.example.com" + secret
	wildcard := "auto-shop-wildcard-shop-example-com *.shop.example.com" + secret
	s.expect(appListener, a, "auto-shop-bank-example-com bank.example.com"+secret, wildcard)
	s.event(shop, corev1.EventTypeWarning, plan.ReasonHostnameNotAllowed, "Namespace "+team.Name, "shop.example.com", "*.example.com")

	// Both words hold: the Gateway's and the Namespace's.
	s.updateGateway(annotate(plan.AllowedHostnamesKey, "app.example.com,*.shop.example.com,shop.example.com"))
	expectFindings(t, s.look(), append(outside, "HostnameNotAllowed shop bank.example.com", "SharedSecret shop")...)
	s.expect(appListener, a, wildcard)
}

func TestWhenReadyWaitsForTheFirstReadyAndNoLonger(t *testing.T) {
	s := newScene(t)
	s.updateGateway(annotate(plan.AttachKey, "WhenReady"))
	wait := func(o reconcile.Outcome) { t.Helper(); expectFindings(t, o, "CertificateNotReady app app.example.com") }
	wait(s.unwritten(func() reconcile.Outcome { return s.told(reconcile.Add, s.certificate(app)) }))
	wait(s.unwritten(func() reconcile.Outcome {
		return s.told(reconcile.Update, s.updateStatus(app, ready(cmmeta.ConditionFalse)))
	}))
	s.expect()
	s.event(s.certificate(app), corev1.EventTypeNormal, plan.ReasonCertificateNotReady, plan.AttachKey)

	expectFindings(t, s.writtenOnce(func() reconcile.Outcome {
		return s.told(reconcile.Update, s.updateStatus(app, ready(cmmeta.ConditionTrue)))
	}))
	s.expect(appListener)
	expectFindings(t, s.unwritten(func() reconcile.Outcome {
		return s.told(reconcile.Update, s.updateStatus(app, ready(cmmeta.ConditionFalse)))
	}))
	s.expect(appListener)
}

func TestAPausedGatewayIsLeftAlone(t *testing.T) {
	s := newServedScene(t)
	for text, want := range map[string][]string{"true": {"Paused"}, "yes": {"Paused", "MalformedAnnotation"}} {
		s.updateGateway(annotate(plan.PausedKey, text))
		o := s.unwritten(func() reconcile.Outcome { return s.ask(app, "other.example.com") })
		if o.Verdict != reconcile.Paused {
			t.Errorf("verdict %s with %q, want Paused", o.Verdict, text)
		}
		expectFindings(t, o, want...)
		s.unwritten(func() reconcile.Outcome { return s.remove(app) })
		s.CreateCertificate(app, edge, "app.example.com")
	}
	s.updateGateway(annotate(plan.PausedKey, "false"))
	expectFindings(t, s.unwritten(s.look))
	s.expect(appListener)
	s.updateGateway(annotate(plan.PausedKey, "true"))
	s.ask(app, "other.example.com")
	s.updateGateway(annotate(plan.PausedKey, "false"))
	expectFindings(t, s.writtenOnce(s.look))
	s.expect("auto-app-other-example-com other.example.com:443 app-tls")
}

func TestTheGatewaysOwnerBoundsHowManyListenersItTakes(t *testing.T) {
	s := newScene(t)
	s.updateGateway(annotate(plan.MaxListenersKey, "2"))
	expectFindings(t, s.ask(app, "a.example.com", "b.example.com", "c.example.com"), "TooManyListeners app c.example.com", "SharedSecret app")
	two := []string{"auto-app-a-example-com a.example.com:443 app-tls", "auto-app-b-example-com b.example.com:443 app-tls"}
	s.expect(two...)
	s.event(s.Gateway(edge), corev1.EventTypeWarning, plan.ReasonTooManyListeners, "c.example.com", plan.MaxListenersKey)
}

// No generation tells of an annotation, so the patch's guard holds.
func TestTheOwnersWordBetweenOurLookAndOurPatchCounts(t *testing.T) {
	s := newEmptyScene(t)
	s.createEdge(annotate(plan.CertificateNamespacesKey, "All"))
	_, shop := s.tenant("shop", "shop.example.com")
	between := func() { s.updateGateway(annotate(plan.CertificateNamespacesKey, "Same")) }
	s.cluster.beforeWrite.Store(&between)
	s.told(reconcile.Add, shop)
	s.expect()
}
