package main

import (
	"slices"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

func certificate(name string, hostnames ...string) certmanagerv1.Certificate {
	return certmanagerv1.Certificate{
		ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: name, Annotations: map[string]string{gatewayName: "edge"}},
		Spec:       certmanagerv1.CertificateSpec{SecretName: name + "-tls", DNSNames: hostnames},
	}
}

func names(listeners []gatewayv1.Listener) []string {
	var names []string
	for _, l := range listeners {
		names = append(names, string(l.Name))
	}
	return names
}

func TestACertificateNamesItsGateway(t *testing.T) {
	c := certificate("shop")
	if target, ok := targetOf(&c); !ok || target.String() != "team/edge" {
		t.Errorf("it is %s, %t", target, ok)
	}
	c.Annotations[gatewayNamespace] = "infra"
	if target, _ := targetOf(&c); target.String() != "infra/edge" {
		t.Errorf("with a namespace it is %s", target)
	}
	c.Annotations = nil
	if target, ok := targetOf(&c); ok {
		t.Errorf("without an annotation it is %s", target)
	}
}

func TestEachHostnameHasAListener(t *testing.T) {
	got := names(listenersOf([]certmanagerv1.Certificate{certificate("shop", "b.example.com", "*.example.com"), certificate("app", "a.example.com")}))
	want := []string{"auto-app-a-example-com", "auto-shop-b-example-com", "auto-shop-wildcard-example-com"}
	if !slices.Equal(got, want) {
		t.Errorf("they are %q, want %q", got, want)
	}
}

func TestWhatIsDeletedOrHasNoSecretHasNoListener(t *testing.T) {
	going, bare := certificate("going", "a.example.com"), certificate("bare", "b.example.com")
	going.DeletionTimestamp = new(metav1.Now())
	bare.Spec.SecretName = ""
	if got := listenersOf([]certmanagerv1.Certificate{going, bare}); len(got) > 0 {
		t.Errorf("there are %q", names(got))
	}
}

func TestListenersOfOthersStay(t *testing.T) {
	existing := []gatewayv1.Listener{{Name: "auto-old-a"}, {Name: "http"}}
	got := names(merge(existing, listenersOf([]certmanagerv1.Certificate{certificate("shop", "a.example.com")})))
	if want := []string{"http", "auto-shop-a-example-com"}; !slices.Equal(got, want) {
		t.Errorf("they are %q, want %q", got, want)
	}
}

func TestNothingIsToBeWrittenWhereTheHandlerHasBeen(t *testing.T) {
	wanted := listenersOf([]certmanagerv1.Certificate{certificate("shop", "a.example.com")})
	written := *wanted[0].DeepCopy()
	written.TLS.CertificateRefs[0].Namespace = nil // it is the Gateway's
	if !equal([]gatewayv1.Listener{written}, wanted, "team") {
		t.Error("the listeners differ")
	}
}

func TestADifferenceIsSeen(t *testing.T) {
	for name, mutate := range map[string]func(*gatewayv1.Listener){
		"hostname": func(l *gatewayv1.Listener) { l.Hostname = new(gatewayv1.Hostname("b.example.com")) },
		"port":     func(l *gatewayv1.Listener) { l.Port = 8443 },
		"Secret":   func(l *gatewayv1.Listener) { l.TLS.CertificateRefs[0].Name = "other" },
		"name":     func(l *gatewayv1.Listener) { l.Name = "auto-other" },
	} {
		wanted := listenersOf([]certmanagerv1.Certificate{certificate("shop", "a.example.com")})
		found := wanted[0].DeepCopy()
		mutate(found)
		if equal([]gatewayv1.Listener{*found}, wanted, "team") {
			t.Errorf("another %s is not seen", name)
		}
	}
}
