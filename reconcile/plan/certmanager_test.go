package plan_test

import (
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

const ignoreKey = "cert-manager.io/ignore-tls-listeners"

func TestCertManagersIgnoreList(t *testing.T) {
	const ours = "auto-app-app-example-com"
	issuer := func(in *plan.Input) { annotate(in.Gateway, "cert-manager.io/issuer", "ca") }
	ignore := func(in *plan.Input, list string) { annotate(in.Gateway, ignoreKey, list) }
	settle := func(in *plan.Input) { *in = settled(*in) }
	gone := func(in *plan.Input) { in.Certificates = nil }
	for _, tc := range []struct {
		name   string
		mutate func(*plan.Input)
		want   string
		said   bool
	}{
		{"no issuer, nothing there", func(*plan.Input) {}, "", false},
		{"no issuer, a user's list", func(in *plan.Input) { ignore(in, " http ,, x") }, " http ,, x", false},
		{"an empty issuer", func(in *plan.Input) { annotate(in.Gateway, "cert-manager.io/issuer", "") }, "", false},
		{"an issuer", issuer, ours, true},
		{"cert-manager's default issuer", func(in *plan.Input) { annotate(in.Gateway, "kubernetes.io/tls-acme", "true") }, ours, true},
		{"not cert-manager's default issuer", func(in *plan.Input) { annotate(in.Gateway, "kubernetes.io/tls-acme", "false") }, "", false},
		{"an issuer and a user's list", func(in *plan.Input) { issuer(in); ignore(in, "http,x") }, "http,x," + ours, true},
		{"ours named already", func(in *plan.Input) { issuer(in); ignore(in, "x , "+ours+" ,") }, "x , " + ours + " ,", false},
		{"as it was left", func(in *plan.Input) { issuer(in); settle(in) }, ours, false},
		{"a user adds to it", func(in *plan.Input) { issuer(in); settle(in); ignore(in, ours+", x") }, ours + ", x", false},
		{"a user takes ours off", func(in *plan.Input) { issuer(in); settle(in); ignore(in, "x") }, "x," + ours, true},
		{"the issuer goes, ours stays", func(in *plan.Input) {
			issuer(in)
			settle(in)
			delete(in.Gateway.Annotations, "cert-manager.io/issuer")
		}, ours, false},
		{"the Certificate goes", func(in *plan.Input) { issuer(in); settle(in); gone(in) }, "", true},
		{"the Certificate goes, a user's stay", func(in *plan.Input) { issuer(in); settle(in); ignore(in, "x,"+ours+",http"); gone(in) }, "x,http", true},
		{"the Certificate goes after the issuer", func(in *plan.Input) {
			issuer(in)
			settle(in)
			delete(in.Gateway.Annotations, "cert-manager.io/issuer")
			gone(in)
		}, "", false},
		{"the API server refuses ours", func(in *plan.Input) { issuer(in); in.Refused = refusing(ours) }, "", false},
		{"a Certificate that is left out", func(in *plan.Input) { issuer(in); app(in).Namespace = "team-a" }, "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := baseInput()
			tc.mutate(in)
			p := plan.For(*in)
			if got := p.Annotations[ignoreKey]; got != tc.want {
				t.Errorf("%s = %q, want %q", ignoreKey, got, tc.want)
			}
			if said := cmp.Equal(noted(p), []plan.Reason{plan.ReasonCertManagerOverlap}); said != tc.said {
				t.Errorf("notes = %v, want %s: %v", noted(p), plan.ReasonCertManagerOverlap, tc.said)
			}
			if again := plan.For(settled(*in)); !again.Unchanged() {
				t.Errorf("applied, there is still something to do: %+v", again)
			}
		})
	}
}

func TestOnlyAControllerThatIsMadeOfListenersMakesACertificateOneFromThem(t *testing.T) {
	owner := func(apiVersion, kind string, controller *bool) metav1.OwnerReference {
		return metav1.OwnerReference{APIVersion: apiVersion, Kind: kind, Name: "x", Controller: controller}
	}
	for _, tc := range []struct {
		name   string
		owners []metav1.OwnerReference
		made   bool
	}{
		{"Gateway", []metav1.OwnerReference{owner("gateway.networking.k8s.io/v1", "Gateway", new(true))}, true},
		{"Gateway v1beta1", []metav1.OwnerReference{owner("gateway.networking.k8s.io/v1beta1", "Gateway", new(true))}, true},
		{"ListenerSet", []metav1.OwnerReference{owner("gateway.networking.k8s.io/v1", "ListenerSet", new(true))}, true},
		{"XListenerSet", []metav1.OwnerReference{owner("gateway.networking.x-k8s.io/v1alpha1", "XListenerSet", new(true))}, true},
		{"Gateway behind another owner", []metav1.OwnerReference{
			owner("v1", "ConfigMap", nil), owner("gateway.networking.k8s.io/v1", "Gateway", new(true)),
		}, true},
		{"no owner", nil, false},
		{"Gateway, not the controller", []metav1.OwnerReference{owner("gateway.networking.k8s.io/v1", "Gateway", nil)}, false},
		{"Gateway, said not to be the controller", []metav1.OwnerReference{owner("gateway.networking.k8s.io/v1", "Gateway", new(false))}, false},
		{"HTTPRoute", []metav1.OwnerReference{owner("gateway.networking.k8s.io/v1", "HTTPRoute", new(true))}, false},
		{"another group's Gateway", []metav1.OwnerReference{owner("networking.istio.io/v1", "Gateway", new(true))}, false},
		{"another group's XListenerSet", []metav1.OwnerReference{owner("gateway.networking.k8s.io/v1", "XListenerSet", new(true))}, false},
		{"Ingress", []metav1.OwnerReference{owner("networking.k8s.io/v1", "Ingress", new(true))}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := baseInput()
			app(in).OwnerReferences = tc.owners
			p := plan.For(*in)
			if made := attached(p) == "" && cmp.Equal(noted(p), []plan.Reason{plan.ReasonFromListener}); made != tc.made {
				t.Errorf("attached: %q, notes: %v; want it made from a listener: %v", attached(p), noted(p), tc.made)
			}
			if len(p.Rejections) != 0 {
				t.Errorf("rejections = %v, want none", p.Rejections)
			}
		})
	}
}

func TestACertificateFromAListenerTakesNoPlace(t *testing.T) {
	in := baseInput()
	app(in).OwnerReferences = []metav1.OwnerReference{{
		APIVersion: certmanagerv1.SchemeGroupVersion.String(), Kind: "Certificate", Name: "x", Controller: new(true),
	}, {APIVersion: "gateway.networking.k8s.io/v1", Kind: "Gateway", Name: "edge", Controller: new(true)}}
	in.Certificates = append(in.Certificates, certificate("infra", "z", "app.example.com"))
	if got := serving(plan.For(*in))["app.example.com"]; got != "auto-z-app-example-com" {
		t.Errorf("served by %q, want auto-z-app-example-com", got)
	}
}
