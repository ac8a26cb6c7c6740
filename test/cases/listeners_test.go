package cases

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

func numbered(from, to int) []string {
	var names []string
	for i := from; i <= to; i++ {
		names = append(names, fmt.Sprintf("h%02d.example.com", i))
	}
	return names
}

func TestL01SixtyThreeOfSeventyHostnamesFitBesideTheUsersListenerAlwaysTheSame(t *testing.T) {
	s := newScene(t)
	var want []string
	for i := 1; i <= 63; i++ {
		want = append(want, fmt.Sprintf("auto-app-h%02d-example-com h%02d.example.com:443 app-tls", i, i))
	}
	tooMany := []string{"SharedSecret app"}
	for i := 64; i <= 70; i++ {
		tooMany = append(tooMany, fmt.Sprintf("TooManyListeners app h%02d.example.com", i))
	}
	o := s.writtenOnce(func() reconcile.Outcome { return s.ask(app, numbered(1, 70)...) })
	expectFindings(t, o, tooMany...)
	s.expect(want...)
	s.event(s.certificate(app), corev1.EventTypeWarning, plan.ReasonTooManyListeners, numbered(64, 70)...)
	s.event(s.Gateway(edge), corev1.EventTypeWarning, plan.ReasonTooManyListeners, numbered(64, 70)...)

	backwards := numbered(1, 70)
	slices.Reverse(backwards)
	expectFindings(t, s.unwritten(func() reconcile.Outcome { return s.ask(app, backwards...) }), tooMany...)

	s.updateGateway(func(g *gatewayv1.Gateway) { g.Spec.Listeners = g.Spec.Listeners[:1] })
	expectFindings(t, s.look(), tooMany...)
	s.expect(want...)
}

func TestL02AWildcardGetsANameWithoutAStar(t *testing.T) {
	s := newScene(t)
	s.ask(app, "*.foo.example.com", "ok.example.com")
	s.expect(
		"auto-app-ok-example-com ok.example.com:443 app-tls",
		"auto-app-wildcard-foo-example-com *.foo.example.com:443 app-tls",
	)
}

func TestL03TwoNamesOfOneCertificateThatSpellAlikeGetTwoListeners(t *testing.T) {
	t.Run("both at once", func(t *testing.T) {
		s := newScene(t)
		s.ask(app, "a.b.com", "a-b.com")
		s.expectTwoNames("auto-app-a-b-com a.b.com:443 app-tls", "a-b.com:443 app-tls")
	})
	for _, tc := range []struct{ first, second string }{{"a-b.com", "a.b.com"}, {"a.b.com", "a-b.com"}} {
		t.Run("the second later, "+tc.first+" first", func(t *testing.T) {
			s := newScene(t)
			s.ask(app, tc.first)
			first := s.RawListeners(edge)["auto-app-a-b-com"]
			s.ask(app, tc.second, tc.first)
			s.expectTwoNames("auto-app-a-b-com "+tc.first+":443 app-tls", tc.second+":443 app-tls")
			if now := s.RawListeners(edge)["auto-app-a-b-com"]; now != first {
				t.Errorf("the first listener was\n%s\nand is\n%s", first, now)
			}
		})
	}
}

// expectTwoNames wants two listeners of ours: one as it is given, and one with a
// name that begins as the first one's does.
func (s *scene) expectTwoNames(first, restOfSecond string) {
	s.t.Helper()
	listeners := s.Gateway(edge).Spec.Listeners
	if len(listeners) != 3 {
		s.t.Fatalf("%d listeners, want 3", len(listeners))
	}
	second := listeners[2]
	plain, _, _ := strings.Cut(first, " ")
	if !strings.HasPrefix(string(second.Name), plain+"-") {
		s.t.Errorf("the second listener is called %s, want %s and a suffix", second.Name, plain)
	}
	s.expect(first, string(second.Name)+" "+restOfSecond)
}

func TestL04TwoCertificatesThatSpellAlikeGetTwoListeners(t *testing.T) {
	for _, order := range [][]string{{"a", "a-b"}, {"a-b", "a"}} {
		t.Run(order[0]+" first", func(t *testing.T) {
			s := newScene(t)
			dnsName := map[string]string{"a": "b-c.com", "a-b": "c.com"}
			s.updateCertificate(app, func(c *certmanagerv1.Certificate) { c.Labels = nil })
			s.add(order[0], dnsName[order[0]])
			first := s.RawListeners(edge)["auto-a-b-c-com"]
			s.add(order[1], dnsName[order[1]])
			s.expectTwoNames(
				fmt.Sprintf("auto-a-b-c-com %s:443 %s-tls", dnsName[order[0]], order[0]),
				fmt.Sprintf("%s:443 %s-tls", dnsName[order[1]], order[1]),
			)
			if now := s.RawListeners(edge)["auto-a-b-c-com"]; now != first {
				t.Errorf("the first listener was\n%s\nand is\n%s", first, now)
			}
		})
	}
}

func TestL05ALongNameIsCutTo63CharactersAndStaysDistinct(t *testing.T) {
	s := newScene(t)
	long := strings.Repeat("c", 100) + "." + strings.Repeat("d", 99)
	hosts := []string{strings.Repeat("a", 56) + ".com", strings.Repeat("a", 56) + ".net"}
	s.add(long, hosts...)
	s.add(long+"e", hosts[0]+".example.com")
	seen := map[gatewayv1.SectionName]bool{}
	for _, l := range s.Gateway(edge).Spec.Listeners {
		if errs := validation.IsDNS1123Label(string(l.Name)); len(errs) > 0 || seen[l.Name] {
			t.Errorf("name %s: %v, seen before: %v", l.Name, errs, seen[l.Name])
		}
		seen[l.Name] = true
	}
	if len(seen) != 5 {
		t.Errorf("%d listeners, want the user's, app's and 3: %v", len(seen), seen)
	}
	s.unwritten(s.look)
}

func TestL06ANameInUnicodeIsServedAsItsALabelOrLeftOut(t *testing.T) {
	s := newScene(t)
	o := s.ask(app, "bücher.example", "ok.example.com", "xn--zzzzzzzz99999.example", "b\u200d.example")
	s.expect(
		"auto-app-ok-example-com ok.example.com:443 app-tls",
		"auto-app-xn--bcher-kva-example xn--bcher-kva.example:443 app-tls",
	)
	expectFindings(t, o, "SharedSecret app", "InvalidHostname app b\u200d.example", "InvalidHostname app xn--zzzzzzzz99999.example")
	s.event(s.certificate(app), corev1.EventTypeWarning, plan.ReasonInvalidHostname, "xn--zzzzzzzz99999.example")
}

func TestL07OneTrailingDotIsDropped(t *testing.T) {
	s := newScene(t)
	expectFindings(t, s.ask(app, "app.example.com."))
	s.expect(appListener)
	expectFindings(t, s.ask(app, "app.example.com", "two.example.com.."), "InvalidHostname app two.example.com..")
	s.expect(appListener)
}

func TestL08OfBadNamesOnlyTheGoodOneIsAttached(t *testing.T) {
	s := newScene(t)
	o := s.ask(app, "*", "*.*.x.com", "foo_bar.x.com", "foo.*.com", "*.x.com")
	s.expect("auto-app-wildcard-x-com *.x.com:443 app-tls")
	expectFindings(t, o, "InvalidHostname app *", "InvalidHostname app *.*.x.com", "InvalidHostname app foo_bar.x.com", "InvalidHostname app foo.*.com")
	s.event(s.certificate(app), corev1.EventTypeWarning, plan.ReasonInvalidHostname, `"*"`, "*.*.x.com", "foo_bar.x.com", "foo.*.com")
}

func TestL09ACommonNameAloneGetsNoListenerAndIsToldWhy(t *testing.T) {
	s := newScene(t)
	o := s.unwritten(func() reconcile.Outcome {
		return s.change(app, func(c *certmanagerv1.Certificate) { c.Spec.CommonName, c.Spec.DNSNames = "app.example.com", nil })
	})
	s.expect()
	expectFindings(t, o, "NoDNSNames app")
	s.event(s.certificate(app), corev1.EventTypeWarning, plan.ReasonNoDNSNames, "browsers", "subject alternative name")
}

func TestL10ANameThatIsThereTwiceGetsOneListener(t *testing.T) {
	s := newScene(t)
	expectFindings(t, s.ask(app, "foo.x.com", "foo.x.com", "FOO.x.com."))
	s.expect("auto-app-foo-x-com foo.x.com:443 app-tls")
}

func TestL12TheUsersListenersForAHostnameAndOfOurKindOfNameAreLeftAlone(t *testing.T) {
	for _, protocol := range []gatewayv1.ProtocolType{gatewayv1.HTTPSProtocolType, gatewayv1.TLSProtocolType} {
		t.Run(string(protocol), func(t *testing.T) {
			s := newScene(t)
			s.updateGateway(addListener(tlsListener("theirs", protocol, "app.example.com")))
			s.updateGateway(addListener(tlsListener("auto-mine", protocol, "mine.example.com")))
			o := s.unwritten(func() reconcile.Outcome { return s.told(reconcile.Add, s.certificate(app)) })
			s.expect()
			expectFindings(t, o, "HostnameTaken app app.example.com")
			s.event(s.certificate(app), corev1.EventTypeWarning, plan.ReasonHostnameTaken, "app.example.com", `"theirs"`)

			s.updateGateway(removeListener("theirs"))
			expectFindings(t, s.writtenOnce(s.look))
			s.expect(appListener)
		})
	}
}

func TestL12ANameThatIsOurKindOfNameIsTheUsersIfHeHasItAlready(t *testing.T) {
	s := newScene(t)
	s.updateGateway(addListener(tlsListener("auto-app-app-example-com", gatewayv1.HTTPSProtocolType, "mine.example.com")))
	expectFindings(t, s.told(reconcile.Add, s.certificate(app)))
	ours := s.Gateway(edge).Spec.Listeners[2].Name
	if !strings.HasPrefix(string(ours), "auto-app-app-example-com-") {
		t.Errorf("ours is called %s, want a suffix", ours)
	}
	s.expect(string(ours) + " app.example.com:443 app-tls")
}

func TestL13TheLastListenerStaysUntilThereIsAnother(t *testing.T) {
	s := newServedScene(t)
	s.updateGateway(removeListener(namespace.UserOwned))
	o := s.unwritten(func() reconcile.Outcome { return s.remove(app) })
	expectFindings(t, o, "LastListenerKept app app.example.com")
	s.expect(appListener)
	s.event(s.Gateway(edge), corev1.EventTypeWarning, plan.ReasonLastListenerKept, "auto-app-app-example-com")

	s.updateGateway(addListener(httpListener("http", 80)))
	expectFindings(t, s.writtenOnce(s.look))
	s.expect()
}

func TestL16APortIsTakenFromTheCertificateIfItIsOne(t *testing.T) {
	s := newScene(t)
	ported := func(name, port string) reconcile.Outcome {
		c := s.CreateCertificate(name, edge, name+".example.com")
		return s.told(reconcile.Update, s.updateCertificate(c.Name, func(c *certmanagerv1.Certificate) {
			c.Annotations = map[string]string{plan.ListenerPortKey: port}
		}))
	}
	expectFindings(t, ported("good", "8443"))
	want := []string{}
	for name, port := range map[string]string{"zero": "0", "word": "https", "high": "70000"} {
		want = append(want, "InvalidPort "+name)
		expectFindings(t, s.unwritten(func() reconcile.Outcome { return ported(name, port) }), want...)
		s.event(s.certificate(name), corev1.EventTypeWarning, plan.ReasonInvalidPort, `"`+port+`"`, "65535")
	}
	s.expect(appListener, "auto-good-good-example-com good.example.com:8443 good-tls")
}

func TestL17ASecondCertificateMovesAndChangesNoOtherListener(t *testing.T) {
	s := newServedScene(t)
	s.updateGateway(addListener(httpListener("last", 8080)))
	before, order := s.RawListeners(edge), listenerNames(s.Gateway(edge))

	s.writtenOnce(func() reconcile.Outcome { return s.add("aaa", "aaa.example.com") })
	if diff := cmp.Diff(append(order, "auto-aaa-aaa-example-com"), listenerNames(s.Gateway(edge))); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	after := s.RawListeners(edge)
	for name, bytes := range before {
		if after[name] != bytes {
			t.Errorf("listener %s was\n%s\nand is\n%s", name, bytes, after[name])
		}
	}
	s.writtenOnce(func() reconcile.Outcome { return s.remove("aaa") })
	if diff := cmp.Diff(before, s.RawListeners(edge)); diff != "" {
		t.Errorf("after it has gone (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(order, listenerNames(s.Gateway(edge))); diff != "" {
		t.Errorf("order after it has gone (-want +got):\n%s", diff)
	}
}

func listenerNames(gateway *gatewayv1.Gateway) []gatewayv1.SectionName {
	var names []gatewayv1.SectionName
	for _, l := range gateway.Spec.Listeners {
		names = append(names, l.Name)
	}
	return names
}

func TestL18OneSecretBehindSeveralListenersIsAttachedWithOneNote(t *testing.T) {
	t.Run("of one Certificate", func(t *testing.T) {
		s := newScene(t)
		expectFindings(t, s.ask(app, "one.example.com", "two.example.com", "three.example.com"), "SharedSecret app")
		s.expect(
			"auto-app-one-example-com one.example.com:443 app-tls",
			"auto-app-three-example-com three.example.com:443 app-tls",
			"auto-app-two-example-com two.example.com:443 app-tls",
		)
		e := s.event(s.certificate(app), corev1.EventTypeNormal, plan.ReasonSharedSecret, "app-tls", "HTTP/2", "one Certificate a hostname")
		if n := times(e); n != 1 {
			t.Errorf("said %d times, want once", n)
		}
	})
	t.Run("of two Certificates", func(t *testing.T) {
		s := newServedScene(t)
		s.CreateCertificate("two", edge, "two.example.com")
		o := s.change("two", func(c *certmanagerv1.Certificate) { c.Spec.SecretName = "app-tls" })
		expectFindings(t, o, "SharedSecret app", "SharedSecret two")
		s.expect(appListener, "auto-two-two-example-com two.example.com:443 app-tls")
	})
}

func TestL19WhatSomeoneElseChangesOnOursIsHealedByOnePatch(t *testing.T) {
	ours := func(mutate func(*gatewayv1.Listener)) func(*gatewayv1.Gateway) {
		return func(g *gatewayv1.Gateway) { mutate(&g.Spec.Listeners[1]) }
	}
	for name, mutate := range map[string]func(*gatewayv1.Gateway){
		"protocol":      ours(func(l *gatewayv1.Listener) { l.Protocol = gatewayv1.TLSProtocolType }),
		"allowedRoutes": ours(func(l *gatewayv1.Listener) { l.AllowedRoutes.Namespaces.From = new(gatewayv1.NamespacesFromSame) }),
		"allowedRoutes.kinds": ours(func(l *gatewayv1.Listener) {
			l.AllowedRoutes.Kinds = []gatewayv1.RouteGroupKind{{Kind: "HTTPRoute"}}
		}),
		"a second certificateRef": ours(func(l *gatewayv1.Listener) {
			l.TLS.CertificateRefs = append(l.TLS.CertificateRefs, gatewayv1.SecretObjectReference{Name: "other-tls"})
		}),
		"tls.options": ours(func(l *gatewayv1.Listener) {
			l.TLS.Options = map[gatewayv1.AnnotationKey]gatewayv1.AnnotationValue{"example.com/a": "b"}
		}),
		"all of them": ours(func(l *gatewayv1.Listener) {
			l.Protocol, l.AllowedRoutes, l.Port = gatewayv1.TLSProtocolType, nil, 8443
			l.TLS.CertificateRefs = []gatewayv1.SecretObjectReference{{Name: "other-tls"}}
		}),
	} {
		t.Run(name, func(t *testing.T) {
			s := newServedScene(t)
			before := s.RawListeners(edge)
			s.updateGateway(mutate)
			if cmp.Equal(before, s.RawListeners(edge)) {
				t.Fatal("nothing was changed")
			}
			expectFindings(t, s.writtenOnce(s.look))
			if diff := cmp.Diff(before, s.RawListeners(edge)); diff != "" {
				t.Errorf("listeners (-before +after):\n%s", diff)
			}
			s.expect(appListener)
		})
	}
}

func TestL20AnotherSecretNameMovesTheReferenceInOnePatch(t *testing.T) {
	s := newServedScene(t)
	before := s.RawListeners(edge)["auto-app-app-example-com"]
	s.writtenOnce(func() reconcile.Outcome {
		return s.change(app, func(c *certmanagerv1.Certificate) { c.Spec.SecretName = "new-tls" })
	})
	s.expect("auto-app-app-example-com app.example.com:443 new-tls")
	after := s.RawListeners(edge)["auto-app-app-example-com"]
	if want := strings.Replace(before, `"app-tls"`, `"new-tls"`, 1); after != want {
		t.Errorf("listener =\n%s\nwant\n%s", after, want)
	}
}
