package plan_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// annotated is a Certificate as the gateway-cert-operator wanted it, for
// infra/edge.
func annotated(namespace, name string, dnsNames ...string) certmanagerv1.Certificate {
	c := certificate(namespace, name, dnsNames...)
	c.Annotations, c.Labels = c.Labels, nil
	return c
}

// byOperator is a listener as the gateway-cert-operator wrote it for a
// Certificate, which need not be there any more.
func byOperator(namespace, certificate, hostname string) gatewayv1.Listener {
	spelled := strings.NewReplacer("*", "wildcard", ".", "-").Replace(hostname)
	return gatewayv1.Listener{
		Name:     gatewayv1.SectionName("auto-" + certificate + "-" + spelled),
		Hostname: new(gatewayv1.Hostname(hostname)), Port: 443, Protocol: gatewayv1.HTTPSProtocolType,
		AllowedRoutes: &gatewayv1.AllowedRoutes{Namespaces: &gatewayv1.RouteNamespaces{From: new(gatewayv1.NamespacesFromAll)}},
		TLS: &gatewayv1.ListenerTLSConfig{
			Mode: new(gatewayv1.TLSModeTerminate),
			CertificateRefs: []gatewayv1.SecretObjectReference{{
				Group: new(gatewayv1.Group("")), Kind: new(gatewayv1.Kind("Secret")),
				Name: gatewayv1.ObjectName(certificate + "-tls"), Namespace: new(gatewayv1.Namespace(namespace)),
			}},
		},
	}
}

// left is infra/edge with what the gateway-cert-operator left on it.
func left(listeners ...gatewayv1.Listener) plan.MigrateInput {
	edge := baseGateway()
	edge.Spec.Listeners = append(edge.Spec.Listeners, listeners...)
	return plan.MigrateInput{Gateways: []gatewayv1.Gateway{*edge}}
}

// fates lists the listeners with what becomes of each.
func fates(migrations []plan.Migration) string {
	var lines []string
	for _, m := range migrations {
		for _, l := range m.Listeners {
			lines = append(lines, fmt.Sprintf("%s %s", l.Name, l.Fate))
		}
	}
	return strings.Join(lines, "; ")
}

func TestW4WhatBecomesOfAListenerThatTheOperatorLeft(t *testing.T) {
	longest := strings.Repeat("a", 240)
	for _, tc := range []struct {
		name   string
		mutate func(in *plan.MigrateInput, c *certmanagerv1.Certificate, l *gatewayv1.Listener)
		fate   plan.Fate
		why    string
	}{
		{"an annotated Certificate asks for it", func(*plan.MigrateInput, *certmanagerv1.Certificate, *gatewayv1.Listener) {}, plan.TakenOver, ""},
		{"a labelled one does", func(_ *plan.MigrateInput, c *certmanagerv1.Certificate, _ *gatewayv1.Listener) {
			c.Labels, c.Annotations = c.Annotations, nil
		}, plan.TakenOver, ""},
		{"one that is being deleted does", func(_ *plan.MigrateInput, c *certmanagerv1.Certificate, _ *gatewayv1.Listener) {
			c.DeletionTimestamp = &metav1.Time{}
		}, plan.Stale, ""},
		{"one of a Namespace that is gone does", func(in *plan.MigrateInput, _ *certmanagerv1.Certificate, _ *gatewayv1.Listener) {
			in.Namespaces = map[string]metav1.ObjectMeta{}
		}, plan.Stale, ""},
		{"one that names another Gateway does", func(_ *plan.MigrateInput, c *certmanagerv1.Certificate, _ *gatewayv1.Listener) {
			c.Annotations[plan.GatewayNameKey] = "other"
		}, plan.Stale, ""},
		{"the Certificate does not ask for the hostname any more", func(_ *plan.MigrateInput, c *certmanagerv1.Certificate, _ *gatewayv1.Listener) {
			c.Spec.DNSNames = []string{"new.example.com"}
		}, plan.Stale, ""},
		{"a Certificate of another name asks for its hostname", func(_ *plan.MigrateInput, c *certmanagerv1.Certificate, _ *gatewayv1.Listener) {
			c.Name = "renamed"
		}, plan.Stale, "infra/renamed wants its hostname"},
		{"its label says otherwise than its annotation", func(_ *plan.MigrateInput, c *certmanagerv1.Certificate, _ *gatewayv1.Listener) {
			c.Labels = map[string]string{plan.GatewayNameKey: "other"}
		}, plan.Kept, "its labels name Gateway infra/other"},
		{"the Certificate has another Secret", func(_ *plan.MigrateInput, c *certmanagerv1.Certificate, _ *gatewayv1.Listener) {
			c.Spec.SecretName = "new-tls"
		}, plan.Kept, "Secret new-tls"},
		{"the Gateway does not take its namespace", func(_ *plan.MigrateInput, c *certmanagerv1.Certificate, l *gatewayv1.Listener) {
			c.Namespace = "team-a"
			*l = byOperator("team-a", "app", "app.example.com")
		}, plan.Kept, "takes no Certificates from namespace team-a"},
		{"by the cluster's default it does", func(in *plan.MigrateInput, c *certmanagerv1.Certificate, l *gatewayv1.Listener) {
			in.Defaults = plan.Defaults{CertificateNamespaces: "All", AllowedRoutes: "All"}
			c.Namespace = "team-a"
			*l = byOperator("team-a", "app", "app.example.com")
		}, plan.TakenOver, ""},
		{"it will be for its tenant's routes alone", func(in *plan.MigrateInput, c *certmanagerv1.Certificate, l *gatewayv1.Listener) {
			in.Defaults.CertificateNamespaces = "All"
			c.Namespace = "team-a"
			*l = byOperator("team-a", "app", "app.example.com")
		}, plan.TakenOver, "will change its allowedRoutes.namespaces"},
		{"the Gateway takes no hostname like it", func(in *plan.MigrateInput, _ *certmanagerv1.Certificate, _ *gatewayv1.Listener) {
			annotate(&in.Gateways[0], plan.AllowedHostnamesKey, "example.org")
		}, plan.Kept, "outside what Gateway infra/edge takes"},
		{"the Gateway takes fewer listeners", func(in *plan.MigrateInput, _ *certmanagerv1.Certificate, _ *gatewayv1.Listener) {
			annotate(&in.Gateways[0], plan.MaxListenersKey, "0")
		}, plan.TakenOver, "will remove it: the Gateway takes at most 0"},
		{"an address, which the handler does not serve", func(_ *plan.MigrateInput, c *certmanagerv1.Certificate, l *gatewayv1.Listener) {
			c.Spec.DNSNames = []string{"10.0.0.1"}
			*l = byOperator("infra", "app", "10.0.0.1")
		}, plan.Kept, "IP address"},
		{"cert-manager has made the Certificate from it", func(_ *plan.MigrateInput, c *certmanagerv1.Certificate, _ *gatewayv1.Listener) {
			c.OwnerReferences = []metav1.OwnerReference{{APIVersion: "gateway.networking.k8s.io/v1", Kind: "Gateway", Name: "edge", Controller: new(true)}}
		}, plan.Kept, "made the Certificate from Gateway edge"},
		{"the Gateway is paused, and the Certificate is there", func(in *plan.MigrateInput, _ *certmanagerv1.Certificate, _ *gatewayv1.Listener) {
			annotate(&in.Gateways[0], plan.PausedKey, "true")
		}, plan.TakenOver, ""},
		{"the ledger cannot be read", func(in *plan.MigrateInput, _ *certmanagerv1.Certificate, _ *gatewayv1.Listener) {
			annotate(&in.Gateways[0], plan.LedgerKey, "{")
		}, plan.TakenOver, ""},
		{"a wildcard's, whose Certificate is gone", func(_ *plan.MigrateInput, _ *certmanagerv1.Certificate, l *gatewayv1.Listener) {
			*l = byOperator("infra", "gone", "*.example.com")
		}, plan.Stale, ""},
		{"one of a long name, whose Certificate is gone", func(in *plan.MigrateInput, _ *certmanagerv1.Certificate, l *gatewayv1.Listener) {
			in.Certificates = nil
			l.Name = gatewayv1.SectionName("auto-" + longest[:200] + "-app-example-com")
		}, plan.Stale, ""},
		{"one whose name was cut, and whose Certificate is gone", func(in *plan.MigrateInput, _ *certmanagerv1.Certificate, l *gatewayv1.Listener) {
			in.Certificates = nil
			l.Name = gatewayv1.SectionName(cutByOperator("auto-" + longest[:235] + "-app-example-com"))
		}, plan.Stale, ""},
		{"one whose name was cut otherwise", func(_ *plan.MigrateInput, _ *certmanagerv1.Certificate, l *gatewayv1.Listener) {
			l.Name = gatewayv1.SectionName(cutByOperator("auto-" + longest[:235] + "-app-example-com")[:252] + "x")
		}, plan.UserOwned, "its name is not made of"},
		{"a name that no Certificate gives", func(_ *plan.MigrateInput, _ *certmanagerv1.Certificate, l *gatewayv1.Listener) {
			l.Name = "auto-mine"
		}, plan.UserOwned, "its name is not made of"},
		{"a name of nothing but the hostname", func(_ *plan.MigrateInput, _ *certmanagerv1.Certificate, l *gatewayv1.Listener) {
			l.Name = "auto-app-example-com"
			l.Hostname = new(gatewayv1.Hostname("app-example.com"))
		}, plan.UserOwned, "its name is not made of"},
		{"no hostname", func(_ *plan.MigrateInput, _ *certmanagerv1.Certificate, l *gatewayv1.Listener) {
			l.Hostname = nil
		}, plan.UserOwned, "its name is not made of"},
		{"stale but for its port", func(_ *plan.MigrateInput, c *certmanagerv1.Certificate, l *gatewayv1.Listener) {
			c.Name, l.Port = "other", 8443
		}, plan.UserOwned, "its port is 8443"},
		{"stale but for its protocol", func(_ *plan.MigrateInput, c *certmanagerv1.Certificate, l *gatewayv1.Listener) {
			c.Name, l.Protocol = "other", gatewayv1.TLSProtocolType
		}, plan.UserOwned, "does not terminate HTTPS"},
		{"stale but for its mode", func(_ *plan.MigrateInput, c *certmanagerv1.Certificate, l *gatewayv1.Listener) {
			c.Name, l.TLS.Mode = "other", new(gatewayv1.TLSModePassthrough)
		}, plan.UserOwned, "does not terminate HTTPS"},
		{"stale but without TLS", func(_ *plan.MigrateInput, c *certmanagerv1.Certificate, l *gatewayv1.Listener) {
			c.Name, l.TLS = "other", nil
		}, plan.UserOwned, "does not terminate HTTPS"},
		{"stale but for a second Secret", func(_ *plan.MigrateInput, c *certmanagerv1.Certificate, l *gatewayv1.Listener) {
			c.Name, l.TLS.CertificateRefs = "other", slices.Repeat(l.TLS.CertificateRefs, 2)
		}, plan.UserOwned, "does not refer to one Secret"},
		{"stale but for what it refers to", func(_ *plan.MigrateInput, c *certmanagerv1.Certificate, l *gatewayv1.Listener) {
			c.Name, l.TLS.CertificateRefs[0].Kind = "other", new(gatewayv1.Kind("ConfigMap"))
		}, plan.UserOwned, "does not refer to one Secret"},
		{"stale but that the namespace is not written out", func(_ *plan.MigrateInput, c *certmanagerv1.Certificate, l *gatewayv1.Listener) {
			c.Name, l.TLS.CertificateRefs[0].Namespace = "other", nil
		}, plan.UserOwned, "does not refer to one Secret"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := left(byOperator("infra", "app", "app.example.com"))
			in.Certificates = []certmanagerv1.Certificate{annotated("infra", "app", "app.example.com")}
			tc.mutate(&in, &in.Certificates[0], &in.Gateways[0].Spec.Listeners[1])
			listeners := plan.Migrate(in)[0].Listeners
			if len(listeners) != 1 {
				t.Fatalf("listeners = %+v, want one", listeners)
			}
			l := listeners[0]
			if l.Fate != tc.fate || !strings.Contains(l.Why, tc.why) || tc.why == "" && l.Why != "" {
				t.Errorf("fate = %s (%q), want %s (%q)", l.Fate, l.Why, tc.fate, tc.why)
			}
			if asked := l.Certificate.Name != ""; asked != (tc.fate == plan.TakenOver || tc.fate == plan.Kept) {
				t.Errorf("fate %s with Certificate %s", l.Fate, l.Certificate)
			}
		})
	}
}

// cutByOperator is the gateway-cert-operator's own cut, as it documents it.
func cutByOperator(name string) string {
	return strings.TrimRight(name[:244], "-.") + "-" + digestOf(name)
}

func TestWhatTheLedgerNamesAndWhatIsNotCalledAutoIsNotShown(t *testing.T) {
	in := left(byOperator("infra", "app", "app.example.com"))
	annotate(&in.Gateways[0], plan.LedgerKey, `{"auto-app-app-example-com":"infra/app"}`)
	if got := plan.Migrate(in); len(got) != 0 {
		t.Errorf("Migrate = %+v, want nothing", got)
	}
}

func TestWhichLabelsACertificateNeeds(t *testing.T) {
	longName := strings.Repeat("g", 70)
	for _, tc := range []struct {
		name                string
		annotations, labels map[string]string
		want                string // labels to set; "none"; or why they cannot be
	}{
		{"a name", map[string]string{plan.GatewayNameKey: "edge"}, nil, "gateway-name=edge"},
		{"a name and a namespace", map[string]string{plan.GatewayNameKey: "edge", plan.GatewayNamespaceKey: "infra"}, nil, "gateway-name=edge gateway-namespace=infra"},
		{"a long name", map[string]string{plan.GatewayNameKey: longName}, nil, "gateway-name=" + plan.GatewayNameLabel(longName)},
		{"labelled already", map[string]string{plan.GatewayNameKey: "edge"}, map[string]string{plan.GatewayNameKey: "edge"}, "none"},
		{"labelled otherwise", map[string]string{plan.GatewayNameKey: "edge"}, map[string]string{plan.GatewayNameKey: "other"}, "none"},
		{"an empty label", map[string]string{plan.GatewayNameKey: "edge"}, map[string]string{plan.GatewayNameKey: ""}, "gateway-name=edge"},
		{"a label for the namespace only", map[string]string{plan.GatewayNameKey: "edge", plan.GatewayNamespaceKey: "a"}, map[string]string{plan.GatewayNamespaceKey: "infra"}, "gateway-name=edge"},
		{"no annotation", nil, nil, "none"},
		{"an empty annotation", map[string]string{plan.GatewayNameKey: ""}, nil, "none"},
		{"no Gateway's name", map[string]string{plan.GatewayNameKey: "my gateway"}, nil, "no Gateway can be called that"},
		{"no namespace's name", map[string]string{plan.GatewayNameKey: "edge", plan.GatewayNamespaceKey: "a.b"}, nil, "no namespace can be called that"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := annotated("infra", "app", "app.example.com")
			c.Annotations, c.Labels = tc.annotations, tc.labels
			got := "none"
			for _, m := range plan.Migrate(plan.MigrateInput{Certificates: []certmanagerv1.Certificate{c}}) {
				for _, u := range m.Certificates {
					got = strings.Trim(strings.TrimPrefix(fmt.Sprint(u.Labels), "map"), "[]")
					got = strings.ReplaceAll(strings.ReplaceAll(got, plan.KeyPrefix, ""), ":", "=")
					if u.Labels == nil {
						got = u.Why
					}
				}
			}
			if got != tc.want && !strings.HasSuffix(got, tc.want) {
				t.Errorf("labels to set: %s, want %s", got, tc.want)
			}
		})
	}
}

func TestTheLastListenerAndThoseOfAPausedGatewayStayThoughStale(t *testing.T) {
	one, two := byOperator("infra", "z", "one.example.com"), byOperator("infra", "a", "two.example.com")
	stays := func(in plan.MigrateInput) (names []string) {
		for _, l := range plan.Migrate(in)[0].Listeners {
			if l.Fate != plan.Stale || l.Removable() == (l.Stays != "") {
				t.Errorf("%s: %+v, want it stale and removable unless it stays", l.Name, l)
			}
			if l.Stays != "" {
				names = append(names, string(l.Name))
			}
		}
		return names
	}
	all := left(one, two)
	if got := stays(all); len(got) != 0 {
		t.Errorf("beside another listener %v stay, want none", got)
	}
	annotate(&all.Gateways[0], plan.PausedKey, "true")
	if got := stays(all); len(got) != 2 {
		t.Errorf("on a paused Gateway %v stay, want both", got)
	}
	alone := left(one, two)
	alone.Gateways[0].Spec.Listeners = alone.Gateways[0].Spec.Listeners[1:]
	if got := stays(alone); !cmp.Equal(got, []string{"auto-z-one-example-com"}) {
		t.Errorf("of all there are %v stay, want the first of the Gateway", got)
	}
}

func TestGatewaysAreShownInTheScopeOnlyAndMissingOnesToo(t *testing.T) {
	other, elsewhere, gone := baseGateway(), baseGateway(), annotated("infra", "lost", "x.example.com")
	other.Name, elsewhere.Namespace = "other", "z"
	stale := byOperator("infra", "gone", "gone.example.com")
	in := left(stale)
	for _, gateway := range []*gatewayv1.Gateway{elsewhere, other} {
		gateway.Spec.Listeners = append(gateway.Spec.Listeners, stale)
		in.Gateways = append(in.Gateways, *gateway)
	}
	gone.Annotations[plan.GatewayNameKey] = "gone"
	in.Certificates = []certmanagerv1.Certificate{gone}
	for _, tc := range []struct{ namespace, name, want string }{
		{"", "", "infra/edge infra/gone! infra/other z/edge"},
		{"infra", "", "infra/edge infra/gone! infra/other"},
		{"infra", "edge", "infra/edge"},
		{"infra", "nosuch", "infra/nosuch!"},
		{"none", "", ""},
	} {
		in.Scope = named(tc.namespace, tc.name)
		var got []string
		for _, m := range plan.Migrate(in) {
			text := m.Gateway.String()
			if m.Missing {
				text += "!"
			}
			got = append(got, text)
		}
		if diff := cmp.Diff(tc.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("in the scope of %q (-want +got):\n%s", in.Scope, diff)
		}
	}
}

// Whatever the operator left: what the planner takes over once the labels are
// set is never called stale, and the order of things makes no difference.
func TestW4NoListenerThatALabelledCertificateAdoptsIsCalledStale(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 2))
		in := left()
		for range 1 + random.IntN(8) {
			l := byOperator("infra", []string{"a", "a-b", "b", "a-b-c"}[random.IntN(4)], []string{"c.com", "b-c.com", "b.c.com", "*.c.com"}[random.IntN(4)])
			in.Gateways[0].Spec.Listeners = append(in.Gateways[0].Spec.Listeners, l)
		}
		present := map[string]certmanagerv1.Certificate{}
		for range 6 {
			mutate(random, present)
		}
		labelled := sortedValues(present)
		for _, c := range labelled {
			in.Certificates = append(in.Certificates, annotated(c.Namespace, c.Name, c.Spec.DNSNames...))
		}
		got := plan.Migrate(in)
		for name := range plansFor(&in.Gateways[0], labelled...).Ledger {
			if strings.Contains("; "+fates(got)+";", fmt.Sprintf("; %s %s;", name, plan.Stale)) {
				t.Fatalf("seed %d: %s is adopted and called stale", seed, name)
			}
		}
		random.Shuffle(len(in.Certificates), func(i, j int) {
			in.Certificates[i], in.Certificates[j] = in.Certificates[j], in.Certificates[i]
		})
		if diff := cmp.Diff(got, plan.Migrate(in)); diff != "" {
			t.Fatalf("seed %d: the order of the Certificates matters:\n%s", seed, diff)
		}
	}
}

func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:8]
}
