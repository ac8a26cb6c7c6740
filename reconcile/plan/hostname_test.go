package plan_test

import (
	"regexp"
	"strings"
	"testing"

	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

func TestNormalizeHostname(t *testing.T) {
	label63 := strings.Repeat("a", 63)
	for in, want := range map[string]gatewayv1.Hostname{
		"app.example.com":  "app.example.com",
		"App.Example.COM":  "app.example.com",
		"app.example.com.": "app.example.com",
		"bücher.example":   "xn--bcher-kva.example",
		"*.bücher.example": "*.xn--bcher-kva.example",
		"*.x.com":          "*.x.com",
		"localhost":        "localhost",
		"pr--123.x.com":    "pr--123.x.com",
		"r3---sn-a.x.com":  "r3---sn-a.x.com",
		label63 + ".com":   gatewayv1.Hostname(label63 + ".com"),

		"":                              "",
		".":                             "",
		"*":                             "",
		"*.":                            "",
		"*.*.x.com":                     "",
		"foo.*.com":                     "",
		"f*.x.com":                      "",
		"foo_bar.x.com":                 "",
		"app.example.com..":             "",
		"a..b":                          "",
		"-a.com":                        "",
		"10.0.0.1":                      "",
		"１０.0.0.1":                      "", // full-width digits map to 10.0.0.1
		"::1":                           "",
		"xn--\u0000":                    "",
		"xn--a.example":                 "", // not the A-label of anything
		label63 + "a.com":               "",
		strings.Repeat("a.", 127) + "a": "",
		"https://app.example.com":       "",
		"app.example.com:443":           "",
		"app example.com":               "",
	} {
		t.Run(in, func(t *testing.T) {
			got, err := plan.NormalizeHostname(in)
			if got != want || (err == nil) != (want != "") {
				t.Errorf("NormalizeHostname(%q) = %q, %v; want %q", in, got, err, want)
			}
		})
	}
}

// crdPattern is the pattern of Hostname in the CRD.
var crdPattern = regexp.MustCompile(`^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)

func FuzzNormalizeHostname(f *testing.F) {
	for _, seed := range []string{"app.example.com", "*.bücher.example.", "10.0.0.1", "xn--a", "ß.de", "a\u200db.com"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, dnsName string) {
		got, err := plan.NormalizeHostname(dnsName)
		if err != nil {
			return
		}
		if !crdPattern.MatchString(string(got)) || len(got) > 253 {
			t.Errorf("NormalizeHostname(%q) = %q, which the API server refuses", dnsName, got)
		}
		if again, err := plan.NormalizeHostname(string(got)); err != nil || again != got {
			t.Errorf("NormalizeHostname(%q) = %q, %v; want it unchanged", got, again, err)
		}
	})
}
