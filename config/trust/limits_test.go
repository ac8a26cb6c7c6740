package trust_test

import (
	"strings"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/config/trust"
)

func TestABundleAtItsLimitsIsTakenAndOneBeyondIsRefused(t *testing.T) {
	a := authority(t, "a")
	for name, tc := range map[string]struct {
		text string
		want trust.Reason
	}{
		"512 KiB":                 {a + strings.Repeat("\n", 512<<10-len(a)), ""},
		"a byte more":             {a + strings.Repeat("\n", 512<<10-len(a)+1), trust.ReasonTooLarge},
		"256 blocks":              {strings.Repeat(a, 256), ""},
		"a block more":            {strings.Repeat(a, 257), trust.ReasonTooManyCertificates},
		"as canonical form alone": {oneLine(heavy(t, "a", 390_000)), trust.ReasonTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := trust.Parse([]byte(tc.text))
			if got := reasonOf(err); got != tc.want {
				t.Errorf("refused for %q, want %q", got, tc.want)
			}
		})
	}
}

func TestLimitsComeBeforeAnythingIsParsed(t *testing.T) {
	for want, text := range map[trust.Reason]string{
		trust.ReasonTooLarge:            strings.Repeat("#", 512<<10+1),
		trust.ReasonTooManyCertificates: "#" + strings.Repeat("-----BEGIN CERTIFICATE-----\n", 257),
	} {
		if _, err := trust.Parse([]byte(text)); reasonOf(err) != want {
			t.Errorf("refused for %q, want %q", reasonOf(err), want)
		}
	}
}

func TestTheMessagesKnowTheLimits(t *testing.T) {
	if trust.MaxBytes != 512<<10 || trust.MaxCertificates != 256 {
		t.Error("the limits have changed: write them into the reasons and this test")
	}
}
