package trust_test

import (
	"bytes"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/config/trust"
)

func TestABundleTrustsTheAuthoritiesInIt(t *testing.T) {
	text := authorities(t, "a", "b", "c")
	bundle := parse(t, text)
	if bundle.IsEmpty() || !pool(bundle).Equal(poolOf(text)) {
		t.Error("the pool is not that of a, b and c")
	}
}

func TestCanonicalFormIsSortedAndHasEachCertificateOnce(t *testing.T) {
	bundle := parse(t, authorities(t, "a", "b", "c", "b", "a", "a"))
	var want [][]byte
	for _, name := range []string{"a", "b", "c"} {
		want = append(want, der(t, name, nil))
	}
	slices.SortFunc(want, bytes.Compare)
	var text strings.Builder
	for _, certificate := range want {
		text.WriteString(inPEM("CERTIFICATE", certificate))
	}
	if got := string(bundle.PEM()); got != text.String() {
		t.Errorf("canonical form is\n%s\nwant\n%s", got, text.String())
	}
}

func TestNothingAtAllIsTheEmptyBundle(t *testing.T) {
	for name, text := range map[string]string{"nothing": "", "white space": " \t\n\r\n \n"} {
		t.Run(name, func(t *testing.T) {
			bundle := parse(t, text)
			if !bundle.IsEmpty() || len(bundle.PEM()) != 0 || bundle.Digest() != (trust.Bundle{}).Digest() {
				t.Errorf("bundle has %q", bundle.PEM())
			}
		})
	}
}

// What only looks different is the same bundle.
func TestFormDoesNotMatter(t *testing.T) {
	a, b := authority(t, "a"), authority(t, "b")
	want := parse(t, a+b).Digest()
	for name, text := range map[string]string{
		"another order":               b + a,
		"one twice":                   a + b + a,
		"CRLF":                        strings.ReplaceAll(a+b, "\n", "\r\n"),
		"LF and CRLF":                 a + strings.ReplaceAll(b, "\n", "\r\n"),
		"no last line end":            strings.TrimSuffix(a+b, "\n"),
		"white space between":         "\n \t\n" + a + "\r\n\n" + b + "  \n\t",
		"white space on their lines":  " \t" + strings.ReplaceAll(a, "END CERTIFICATE-----", "END CERTIFICATE----- \t") + b,
		"base64 without a line break": oneLine(a) + b,
	} {
		t.Run(name, func(t *testing.T) {
			if got := parse(t, text).Digest(); got != want {
				t.Errorf("digest %s, want %s", got, want)
			}
		})
	}
}

// oneLine takes the line breaks out of a block's base64.
func oneLine(block string) string {
	lines := strings.Split(strings.TrimSuffix(block, "\n"), "\n")
	last := len(lines) - 1
	return lines[0] + "\n" + strings.Join(lines[1:last], "") + "\n" + lines[last] + "\n"
}

func TestBundlesOfOtherCertificatesHaveOtherDigests(t *testing.T) {
	seen := map[string]string{}
	for _, text := range []string{"", authority(t, "a"), authority(t, "b"), authorities(t, "a", "b")} {
		digest := parse(t, text).Digest()
		if other, taken := seen[digest]; taken || len(digest) != 64 {
			t.Errorf("digest %s of\n%s\nis also that of\n%s", digest, text, other)
		}
		seen[digest] = text
	}
}

// An authority that is replaced stands beside its successor for a while.
func TestAnExpiredAuthorityIsTaken(t *testing.T) {
	expired := der(t, "a", func(c *x509.Certificate) { c.NotAfter = c.NotBefore.Add(time.Hour) })
	if parse(t, inPEM("CERTIFICATE", expired)).IsEmpty() {
		t.Error("the bundle is empty")
	}
}

func TestAnAuthorityWithoutKeyUsageIsTaken(t *testing.T) {
	unsaid := der(t, "a", func(c *x509.Certificate) { c.KeyUsage = 0 })
	if parse(t, inPEM("CERTIFICATE", unsaid)).IsEmpty() {
		t.Error("the bundle is empty")
	}
}

func TestABundleCannotBeChangedByWhoHasItsBytes(t *testing.T) {
	text := []byte(authority(t, "a"))
	bundle, err := trust.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	want := bundle.Digest()
	clear(text)
	clear(bundle.PEM())
	if got := bundle.Digest(); got != want || !bytes.Contains(bundle.PEM(), []byte("BEGIN")) {
		t.Errorf("digest is now %s, was %s", got, want)
	}
}

func TestUnionHasWhatAnyBundleHas(t *testing.T) {
	got, err := trust.Union(parse(t, authorities(t, "a", "b")), trust.Bundle{}, parse(t, authorities(t, "b", "c")))
	if err != nil {
		t.Fatal(err)
	}
	if want := parse(t, authorities(t, "a", "b", "c")); got.Digest() != want.Digest() || !pool(got).Equal(pool(want)) {
		t.Errorf("union is\n%s\nwant\n%s", got.PEM(), want.PEM())
	}
}

func TestUnionOfNothingIsEmpty(t *testing.T) {
	if got, err := trust.Union(); err != nil || !got.IsEmpty() {
		t.Errorf("Union = %q, %v", got.PEM(), err)
	}
}

func TestUnionLeavesItsBundlesAsTheyAre(t *testing.T) {
	// What was there twice has left room behind the certificates.
	a, b := parse(t, authorities(t, "a", "c", "a", "c")), parse(t, authorities(t, "b", "d", "b", "d"))
	want := a.Digest() + b.Digest()
	for _, pair := range [][]trust.Bundle{{a, b}, {b, a}} {
		if _, err := trust.Union(pair...); err != nil {
			t.Fatal(err)
		}
	}
	if !pool(a).Equal(poolOf(authorities(t, "a", "c"))) || !pool(b).Equal(poolOf(authorities(t, "b", "d"))) || a.Digest()+b.Digest() != want {
		t.Error("the bundles have changed")
	}
}

func TestAUnionIsHeldToTheLimitsOfOneBundle(t *testing.T) {
	many := func(first, count int) trust.Bundle {
		names := make([]string, count)
		for i := range names {
			names[i] = fmt.Sprint(first + i)
		}
		return parse(t, authorities(t, names...))
	}
	large := func(name string) trust.Bundle { return parse(t, heavy(t, name, 200<<10)) }
	for name, tc := range map[string]struct {
		bundles []trust.Bundle
		want    trust.Reason
	}{
		"256 certificates":             {[]trust.Bundle{many(0, 200), many(200, 56)}, ""},
		"256 certificates, some twice": {[]trust.Bundle{many(0, 200), many(56, 200)}, ""},
		"257 certificates":             {[]trust.Bundle{many(0, 200), many(200, 57)}, trust.ReasonTooManyCertificates},
		"one large bundle twice":       {[]trust.Bundle{large("a"), large("a")}, ""},
		"two large bundles":            {[]trust.Bundle{large("a"), large("b")}, trust.ReasonTooLarge},
	} {
		t.Run(name, func(t *testing.T) {
			union, err := trust.Union(tc.bundles...)
			if got := reasonOf(err); got != tc.want {
				t.Errorf("refused for %q, want %q", got, tc.want)
			}
			if tc.want != "" && !union.IsEmpty() {
				t.Error("there is a union all the same")
			}
		})
	}
}

// reasonOf returns why a bundle was refused, or "" for no error.
func reasonOf(err error) trust.Reason {
	if err == nil {
		return ""
	}
	var refused *trust.BundleError
	if !errors.As(err, &refused) {
		return trust.Reason("another error: " + err.Error())
	}
	return refused.Reason
}
