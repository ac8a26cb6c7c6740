package trust

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestAConfigMapIsReadAsItIsNow(t *testing.T) {
	s, cas := newScene(t), authorities(t, 2)
	s.grant(mayGet("ca"))
	s.write("ca", data("ca.crt", cas[0]))
	s.resolvesTo(s.configMap("ca", "ca.crt"), cas[0])
	s.write("ca", data("ca.crt", cas[0]+cas[1]))
	s.resolvesTo(s.configMap("ca", "ca.crt"), cas[0]+cas[1])
	s.write("ca", data("ca.crt", ""))
	s.resolvesTo(s.configMap("ca", "ca.crt"), "")
}

// The error names the rule that mayGet is, and no more than that is needed.
func TestAConfigMapThatMayNotBeReadNamesTheMissingRule(t *testing.T) {
	s, cas := newScene(t), authorities(t, 1)
	s.write("ca", data("ca.crt", cas[0]))
	s.write("other", data("ca.crt", cas[0]))
	rule := mayGet("ca")
	s.wantConfigError(s.configMap("ca", "ca.crt"),
		"ConfigMap "+s.name+"/ca key ca.crt: the right to read it is missing",
		"in namespace "+s.name,
		fmt.Sprintf(`apiGroups %q, resources %v, resourceNames %v, verbs %v`, rule.APIGroups, rule.Resources, rule.ResourceNames, rule.Verbs),
		"system:serviceaccount:"+s.name+":handler")
	s.grant(rule)
	s.resolvesTo(s.configMap("ca", "ca.crt"), cas[0])
	s.wantConfigError(s.configMap("other", "ca.crt"), "the right to read it is missing")
}

func TestAConfigMapOrKeyThatIsNotThereIsAConfigError(t *testing.T) {
	s := newScene(t)
	s.grant(mayGet("ca"))
	source := s.configMap("ca", "ca.crt")
	s.wantConfigError(source, "ConfigMap "+s.name+"/ca key ca.crt: there is no such ConfigMap; create it")
	s.write("ca", data("ca.pem", ""))
	s.wantConfigError(source, "key ca.crt: the ConfigMap has no such key; write the bundle under it in data")
	s.write("ca", func(c *corev1.ConfigMap) { c.BinaryData = map[string][]byte{"ca.crt": nil} })
	s.wantConfigError(source, "key ca.crt: the key is in binaryData; write it as text in data")
}

func TestAMalformedConfigMapIsAConfigErrorThatSaysWhere(t *testing.T) {
	s, cas := newScene(t), authorities(t, 1)
	s.grant(mayGet("ca"))
	s.write("ca", data("ca.crt", cas[0]+"# ours"))
	s.wantConfigError(s.configMap("ca", "ca.crt"), "ConfigMap "+s.name+"/ca key ca.crt: line ", ", after block 1: something stands outside")
}
