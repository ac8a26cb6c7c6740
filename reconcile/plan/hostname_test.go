package plan_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

func TestADNSNameAsAListenersHostname(t *testing.T) {
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
	} {
		t.Run(in, func(t *testing.T) {
			if got, err := plan.NormalizeHostname(in); err != nil || got != want {
				t.Errorf("NormalizeHostname(%q) = %q, %v; want %q", in, got, err, want)
			}
		})
	}
}

func TestADNSNameThatCannotBeAListenersHostname(t *testing.T) {
	for in, want := range map[string]error{
		"":           plan.ErrEmptyHostname,
		".":          plan.ErrEmptyHostname,
		"*.":         plan.ErrBareWildcard,
		"*":          plan.ErrBareWildcard,
		"*.*":        plan.ErrBareWildcard,
		"*.*.x.com":  plan.ErrMisplacedWildcard,
		"foo.*.com":  plan.ErrMisplacedWildcard,
		"f*.x.com":   plan.ErrMisplacedWildcard,
		"10.0.0.1":   plan.ErrIPAddress,
		"*.10.0.0.1": plan.ErrIPAddress,
		"１０.0.0.1":   plan.ErrIPAddress, // full-width digits map to 10.0.0.1
		"127.1":      plan.ErrIPAddress, "010.0.0.1": plan.ErrIPAddress, "0x7f.0.0.0x1": plan.ErrIPAddress, "2130706433": plan.ErrIPAddress, "*.0.0.1": plan.ErrIPAddress, "::1": plan.ErrIPAddress,
		"foo_bar.x.com":                  plan.ErrNoALabel,
		"-a.com":                         plan.ErrNotADNSName,
		"a..b":                           plan.ErrNotADNSName,
		"app.example.com..":              plan.ErrNotADNSName,
		"xn--\u0000":                     plan.ErrNoALabel,
		"xn--a.example":                  plan.ErrNoALabel, // not the A-label of anything
		"https://app.example.com":        plan.ErrNoALabel,
		"app.example.com:443":            plan.ErrNoALabel,
		"app example.com":                plan.ErrNoALabel,
		strings.Repeat("a", 64) + ".com": plan.ErrHostnameLabelTooLong,
		strings.Repeat("a.", 127) + "a":  plan.ErrHostnameTooLong,
	} {
		t.Run(in, func(t *testing.T) {
			if got, err := plan.NormalizeHostname(in); !errors.Is(err, want) || got != "" {
				t.Errorf("NormalizeHostname(%q) = %q, %v; want the error %v", in, got, err, want)
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
