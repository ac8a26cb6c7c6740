package trust

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"knative.dev/eventing/pkg/eventingtls"

	"gateway-cert-operator.io/gateway-cert-handler/config/trust"
)

func TestTheSelectorIsKnatives(t *testing.T) {
	if trust.KnativeBundleSelector != eventingtls.TrustBundleLabelSelector {
		t.Errorf("it is %s, Knative's is %s", trust.KnativeBundleSelector, eventingtls.TrustBundleLabelSelector)
	}
}

func TestKnativeBundlesAreAllKeysOfAllLabelledConfigMaps(t *testing.T) {
	s, elsewhere, cas := newScene(t), newScene(t), authorities(t, 7)
	s.grant(mayList())
	s.write("two-keys", func(c *corev1.ConfigMap) {
		labelled(cas[0])(c)
		c.Data["more.pem"] = cas[1] + cas[0]
	})
	// As Knative's own combined one.
	s.write("binary", func(c *corev1.ConfigMap) {
		labelled(cas[2])(c)
		c.BinaryData = map[string][]byte{"combined.pem": []byte(cas[3])}
	})
	s.write("no-keys", func(c *corev1.ConfigMap) { labelled("")(c); c.Data = nil })
	s.write("unlabelled", data("bundle.pem", cas[4]))
	s.write("another-value", func(c *corev1.ConfigMap) {
		labelled(cas[5])(c)
		c.Labels["networking.knative.dev/trust-bundle"] = "false"
	})
	elsewhere.write("elsewhere", labelled(cas[6]))
	s.resolvesTo(s.knativeBundles(), strings.Join(cas[:4], ""))
}

func TestNoKnativeBundlesAddNothing(t *testing.T) {
	s := newScene(t)
	s.grant(mayList())
	s.resolvesTo(s.knativeBundles(), "")
}

func TestKnativeBundlesThatMayNotBeListedNameTheMissingRule(t *testing.T) {
	s := newScene(t)
	rule := mayList()
	s.wantConfigError(s.knativeBundles(),
		"Knative trust bundles in namespace "+s.name+": the right to read it is missing",
		fmt.Sprintf(`apiGroups %q, resources %v, verbs %v`, rule.APIGroups, rule.Resources, rule.Verbs))
	s.grant(rule)
	s.resolvesTo(s.knativeBundles(), "")
}

func TestKnativeBundlesAreReadToTheLastPageAndBounded(t *testing.T) {
	s, cas := newScene(t), authorities(t, 64)
	s.grant(mayList())
	for i, ca := range cas {
		s.write(fmt.Sprintf("bundle-%02d", i), labelled(ca))
	}
	s.resolvesTo(s.knativeBundles(), strings.Join(cas, ""))
	s.write("one-more", labelled(cas[0]))
	s.wantConfigError(s.knativeBundles(), "there are more than 64 ConfigMaps; merge some")
}

func TestOneMalformedKnativeBundleVoidsThemAll(t *testing.T) {
	s, cas := newScene(t), authorities(t, 2)
	s.grant(mayList())
	s.write("a", labelled(cas[0]))
	s.write("b", func(c *corev1.ConfigMap) {
		labelled(cas[1])(c)
		c.Data["worse.pem"] = cas[1] + "junk"
	})
	s.write("c", labelled("junk, of which the error does not speak"))
	s.wantConfigError(s.knativeBundles(), "ConfigMap "+s.name+"/b key worse.pem: line ")
}

func TestKnativeBundlesAreBoundedTogether(t *testing.T) {
	s, cas := newScene(t), authorities(t, 257)
	s.grant(mayList())
	s.write("a", labelled(strings.Join(cas[:200], "")))
	s.write("b", labelled(strings.Join(cas[200:], "")))
	s.wantConfigError(s.knativeBundles(), "ConfigMap "+s.name+"/b key bundle.pem with those before it: the bundle has more than 256 certificates")
}
