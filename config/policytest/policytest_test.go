package policytest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"gateway-cert-operator.io/gateway-cert-handler/config/policytest"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// base is a Gateway with a listener of its owner's and a Certificate of another
// namespace, as short as can be.
const base = `
name: a tenant's
gateway:
  metadata: {namespace: infra, name: edge}
  spec:
    listeners: [{name: http, port: 80, protocol: HTTP}]
certificates:
- metadata: {name: own}
  spec: {dnsNames: [own.example.com, "*.own.example.com"]}
- metadata: {namespace: team-a, name: app}
  spec: {dnsNames: [App.example.com]}
`

func parsed(t *testing.T, text string) (test policytest.Test) {
	t.Helper()
	if err := yaml.UnmarshalStrict([]byte(text), &test); err != nil {
		t.Fatal(err)
	}
	if faults := test.Validate(nil); len(faults) > 0 {
		t.Fatal(faults.ToAggregate())
	}
	return test
}

const (
	ownPlain = "{name: auto-own-own-example-com, hostname: own.example.com, port: 443, certificate: infra/own}"
	ownWild  = "{name: auto-own-wildcard-own-example-com, hostname: \"*.own.example.com\", port: 443, certificate: infra/own}"
	tenants  = "{reason: NamespaceNotAllowed, certificate: team-a/app}"
)

func TestOnlyWhatIsGivenIsCompared(t *testing.T) {
	for name, want := range map[string]string{
		"every field":                                 "listeners: [" + ownPlain + ", " + ownWild + "], refusals: [" + tenants + "]",
		"a name, a port and a reason":                 "listeners: [{name: auto-own-own-example-com}, {port: 443}], refusals: [{reason: NamespaceNotAllowed}]",
		"a Certificate beside its Gateway":            "listeners: [{certificate: own}, {certificate: infra/own}], refusals: [{certificate: team-a/app}]",
		"other spellings of hostnames":                "listeners: [{hostname: OWN.example.com.}, {hostname: '*.Own.Example.com'}], refusals: [{reason: NamespaceNotAllowed}]",
		"in another order":                            "listeners: [" + ownWild + ", " + ownPlain + "], refusals: [" + tenants + "]",
		"one that fits both before one that fits one": "listeners: [{port: 443}, {name: auto-own-own-example-com}], refusals: [" + tenants + "]",
	} {
		t.Run(name, func(t *testing.T) {
			if diff := parsed(t, base+"want: {"+want+"}").Diff(plan.Defaults{}); diff != "" {
				t.Errorf("the difference is\n%s", diff)
			}
		})
	}
}

func TestWhatIsMissingAndWhatIsNotWantedIsListed(t *testing.T) {
	for name, tc := range map[string]struct{ want, diff string }{
		"nothing wanted": {"listeners: []", "+ listener " + ownPlain + "\n+ listener " + ownWild + "\n+ refusal " + tenants + ": Gateway infra/edge takes no Certificates from namespace team-a; its owner can allow them with the annotation gateway-cert-operator.io/certificate-namespaces"},
		"another port": {"listeners: [" + ownWild + ", {hostname: own.example.com, port: 8443}], refusals: [" + tenants + "]",
			"- listener {hostname: own.example.com, port: 8443}\n+ listener " + ownPlain},
		"another Certificate": {"listeners: [" + ownWild + ", {certificate: own2}], refusals: [" + tenants + "]",
			"- listener {certificate: own2}\n+ listener " + ownPlain},
		"another name": {"listeners: [" + ownWild + ", {name: own}], refusals: [" + tenants + "]",
			"- listener {name: own}\n+ listener " + ownPlain},
		"one more listener": {"listeners: [" + ownWild + ", " + ownPlain + ", {port: 443}], refusals: [" + tenants + "]",
			"- listener {port: 443}"},
		"one more refusal": {"listeners: [" + ownWild + ", " + ownPlain + "], refusals: [" + tenants + ", {hostname: app.example.com, reason: HostnameTaken}]",
			"- refusal {reason: HostnameTaken, hostname: app.example.com}"},
	} {
		t.Run(name, func(t *testing.T) {
			got := parsed(t, base+"want: {"+tc.want+"}").Diff(plan.Defaults{})
			if diff := cmp.Diff(tc.diff, got); diff != "" {
				t.Errorf("the difference (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTheSettingsUnderTestAreThoseThatHold(t *testing.T) {
	test := parsed(t, base+"want: {listeners: [{port: 8443}, {port: 8443}, {certificate: team-a/app, hostname: app.example.com}]}")
	if diff := test.Diff(plan.Defaults{CertificateNamespaces: "All", ListenerPort: "8443"}); diff != "" {
		t.Errorf("the difference is\n%s", diff)
	}
}

func TestWhatATestLeavesOutIsTakenForGranted(t *testing.T) {
	for name, text := range map[string]string{
		"a Gateway without a word": `
certificates: [{metadata: {name: app}, spec: {dnsNames: [a.com]}}]
want: {listeners: [{certificate: default/app}]}`,
		"a Gateway with a name of 80 characters": `
gateway: {metadata: {name: ` + strings.Repeat("g", 80) + `}}
certificates: [{metadata: {name: app}, spec: {dnsNames: [a.com]}}]
want: {listeners: [{certificate: app}]}`,
		"the first is the oldest": `
certificates: [{metadata: {name: z}, spec: {dnsNames: [a.com]}}, {metadata: {name: a}, spec: {dnsNames: [a.com]}}]
want: {listeners: [{certificate: z}], refusals: [{reason: HostnameTaken, certificate: a}]}`,
		"an age of one's own": `
certificates:
- {metadata: {name: z}, spec: {dnsNames: [a.com]}}
- {metadata: {name: a, creationTimestamp: "2025-01-01T00:00:00Z"}, spec: {dnsNames: [a.com]}}
want: {listeners: [{certificate: a}], refusals: [{reason: HostnameTaken, certificate: z}]}`,
		"Ready": `
gateway: {metadata: {annotations: {gateway-cert-operator.io/attach: WhenReady}}}
certificates: [{metadata: {name: app}, spec: {dnsNames: [a.com]}}]
want: {listeners: [{hostname: a.com}]}`,
		"not Ready where it says so": `
gateway: {metadata: {annotations: {gateway-cert-operator.io/attach: WhenReady}}}
certificates: [{metadata: {name: app}, spec: {dnsNames: [a.com]}, status: {conditions: [{type: Ready, status: "False"}]}}]
want: {refusals: [{reason: CertificateNotReady}]}`,
		"another Gateway where it says so": `
certificates: [{metadata: {name: app, labels: {gateway-cert-operator.io/gateway-name: other}}, spec: {dnsNames: [a.com]}}]
want: {listeners: []}`,
		"a Namespace's name as its label": `
gateway: {metadata: {annotations: {gateway-cert-operator.io/certificate-namespaces: "Selector: kubernetes.io/metadata.name in (default, team-a)"}}}
certificates:
- {metadata: {name: app, namespace: team-a}, spec: {dnsNames: [a.com]}}
- {metadata: {name: app, namespace: team-b}, spec: {dnsNames: [b.com]}}
want: {listeners: [{hostname: a.com}], refusals: [{certificate: team-b/app}]}`,
		"labels and annotations of a Namespace": `
gateway: {metadata: {annotations: {gateway-cert-operator.io/certificate-namespaces: "Selector: tier=gold"}}}
namespaces:
  team-a: {labels: {tier: gold}, annotations: {gateway-cert-operator.io/allowed-hostnames: a.com}}
certificates: [{metadata: {name: app, namespace: team-a}, spec: {dnsNames: [a.com, b.com]}}]
want: {listeners: [{hostname: a.com}], refusals: [{reason: HostnameNotAllowed, hostname: b.com}]}`,
		"kinds and versions": `
gateway: {apiVersion: gateway.networking.k8s.io/v1, kind: Gateway}
certificates: [{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: app}, spec: {dnsNames: [a.com]}}]
want: {listeners: [{hostname: a.com}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			if diff := parsed(t, "name: n"+text).Diff(plan.Defaults{}); diff != "" {
				t.Errorf("the difference is\n%s", diff)
			}
		})
	}
}

func TestATestThatCannotBeRunSaysWhy(t *testing.T) {
	for text, says := range map[string]string{
		"{want: {listeners: []}}":                                          "name: Required value",
		"{name: ' ', want: {listeners: []}}":                               "name: Required value",
		"{name: n}":                                                        "want: Required value",
		"{name: n, want: {}}":                                              "want: Required value",
		"{name: n, want: {listeners: [{}]}}":                               "want.listeners[0]: Required value",
		"{name: n, want: {refusals: [{}]}}":                                "want.refusals[0]: Required value: say something",
		"{name: n, want: {listeners: []}, gateway: {kind: HTTPRoute}}":     "gateway.kind: Unsupported value",
		"{name: n, want: {listeners: []}, gateway: {apiVersion: v1}}":      "gateway.apiVersion: Unsupported value",
		"{name: n, want: {listeners: []}, certificates: [{kind: Issuer}]}": "certificates[0].kind: Unsupported value",
		"{name: n, want: {listeners: []}, certificates: [{}]}":             "certificates[0].metadata.name: Required value",
		"{name: n, want: {listeners: []}, certificates: [{metadata: {name: a}}, {metadata: {name: a, namespace: default}}]}": `certificates[1].metadata.name: Duplicate value: "default/a"`,
		"{name: n, want: {listeners: []}, certificates: [" + strings.Repeat("{}, ", 65) + "]}":                               "certificates: Too many: 65",
	} {
		var test policytest.Test
		if err := yaml.UnmarshalStrict([]byte(text), &test); err != nil {
			t.Fatal(err)
		}
		if err := test.Validate(nil).ToAggregate(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want an error that says %q", text, err, says)
		}
	}
}

func TestALongDifferenceIsCut(t *testing.T) {
	test := parsed(t, base+"want: {listeners: ["+strings.Repeat("{port: 1}, ", 30)+"]}")
	diff := test.Diff(plan.Defaults{})
	if lines := strings.Split(diff, "\n"); len(lines) != 21 || lines[20] != "and 13 more" {
		t.Errorf("%d lines, want 20 and one that counts the rest:\n%s", len(lines), diff)
	}
}

func TestATestIsNotChangedByBeingRun(t *testing.T) {
	test := parsed(t, base+"want: {listeners: []}")
	before := parsed(t, base+"want: {listeners: []}")
	test.Diff(plan.Defaults{})
	if diff := cmp.Diff(before, test); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}

func TestATestWithVeryManyWantsIsRefused(t *testing.T) {
	test := policytest.Test{Name: "large", Want: policytest.Want{Refusals: make([]policytest.Refusal, 1001)}}
	if faults := test.Validate(nil); len(faults) != 1 || faults[0].Field != "want.refusals" {
		t.Errorf("faults are %v, want one about want.refusals", faults)
	}
}
