package trust_test

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"strings"
	"testing"
	"unicode"

	"gateway-cert-operator.io/gateway-cert-handler/config/trust"
)

// The base is a bundle of two blocks, a and b, each 8 lines long. replace puts
// something else in the place of its second block.
type refusal struct {
	name    string
	replace func(b string) string
	want    string // the error's beginning, up to the reason's
	reason  trust.Reason
}

// swap replaces a text in the block.
func swap(old, new string) func(string) string {
	return func(b string) string { return strings.Replace(b, old, new, 1) }
}

func always(text string) func(string) string { return func(string) string { return text } }

// onLine changes a line of the block; 0 is the BEGIN line.
func onLine(number int, change func(string) string) func(string) string {
	return func(b string) string {
		lines := strings.SplitAfter(b, "\n")
		lines[number] = change(lines[number])
		return strings.Join(lines, "")
	}
}

const (
	beginLine = "-----BEGIN CERTIFICATE-----\n"
	endLine   = "-----END CERTIFICATE-----\n"
)

var structureRefusals = []refusal{
	{"a byte order mark in the midst", func(b string) string { return "\ufeff" + b }, "line 9, after block 1: ", trust.ReasonOutsideBlocks},
	{"a comment before a block", func(b string) string { return "# b\n" + b }, "line 9, after block 1: ", trust.ReasonOutsideBlocks},
	{"a comment at the end", func(b string) string { return b + "\n# the end" }, "line 18, after block 2: ", trust.ReasonOutsideBlocks},
	{"NUL at the end", func(b string) string { return b + "\x00\x00" }, "line 17, after block 2: ", trust.ReasonOutsideBlocks},
	{"a vertical tab between", func(b string) string { return "\v" + b }, "line 9, after block 1: ", trust.ReasonOutsideBlocks},
	{"a form feed between", func(b string) string { return "\f\n" + b }, "line 9, after block 1: ", trust.ReasonOutsideBlocks},
	{"a no-break space between", func(b string) string { return "\u00a0\n" + b }, "line 9, after block 1: ", trust.ReasonOutsideBlocks},
	{"a carriage return between", func(b string) string { return "\r" + b }, "line 9, after block 1: ", trust.ReasonCarriageReturn},
	{"a carriage return at the end", func(b string) string { return b + "\r" }, "line 17, after block 2: ", trust.ReasonCarriageReturn},
	{"two carriage returns in a line end", func(b string) string { return b + "\r\r\n" }, "line 17, after block 2: ", trust.ReasonCarriageReturn},
	{"lines that end in a carriage return", func(b string) string { return strings.ReplaceAll(b, "\n", "\r") }, "line 9, after block 1: ", trust.ReasonCarriageReturn},
	{"a carriage return in a block", onLine(2, func(l string) string { return "\r" + l }), "line 11, in block 2: ", trust.ReasonCarriageReturn},
	{"an END line alone", always(endLine), "line 9, after block 1: ", trust.ReasonEndWithoutBegin},
	{"a BEGIN line of four dashes", swap("-----BEGIN", "----BEGIN"), "line 9, after block 1: ", trust.ReasonOutsideBlocks},
	{"a BEGIN line of six dashes", swap("-----BEGIN", "------BEGIN"), "line 9, after block 1: ", trust.ReasonOutsideBlocks},

	{"a BEGIN line that does not end", swap("CERTIFICATE-----\n", "CERTIFICATE----\n"), "line 9, in block 2: ", trust.ReasonMalformedBegin},
	{"a comment behind BEGIN", swap("CERTIFICATE-----\n", "CERTIFICATE----- # b\n"), "line 9, in block 2: ", trust.ReasonMalformedBegin},
	{"a space behind BEGIN", swap("CERTIFICATE-----\n", "CERTIFICATE----- \n"), "line 9, in block 2: ", trust.ReasonMalformedBegin},
	{"base64 behind BEGIN", swap("CERTIFICATE-----\n", "CERTIFICATE-----"), "line 9, in block 2: ", trust.ReasonMalformedBegin},
	{"a BEGIN line in a block", onLine(3, func(l string) string { return beginLine + l }), "line 12, in block 2: ", trust.ReasonNestedBegin},
	{"an indented BEGIN line in a block", onLine(3, func(l string) string { return " " + beginLine + l }), "line 12, in block 2: ", trust.ReasonNestedBegin},
	{"a block in a block", func(b string) string { return beginLine + b }, "line 10, in block 2: ", trust.ReasonNestedBegin},
	{"a block without END before another", func(b string) string { return strings.TrimSuffix(b, endLine) + b }, "line 16, in block 2: ", trust.ReasonNestedBegin},
	{"no END at the end", swap(endLine, ""), "line 9, in block 2: ", trust.ReasonMissingEnd},
	{"only BEGIN", always(beginLine), "line 9, in block 2: ", trust.ReasonMissingEnd},
	{"the END of something else", swap("END CERTIFICATE", "END X509 CRL"), "line 16, in block 2: ", trust.ReasonMismatchedEnd},
	{"an END line in lower case", swap("END CERTIFICATE", "END certificate"), "line 16, in block 2: ", trust.ReasonMismatchedEnd},
	{"an indented END line", swap(endLine, " "+endLine), "line 16, in block 2: ", trust.ReasonMismatchedEnd},
	{"an END line behind base64", swap("\n"+endLine, endLine), "line 15, in block 2: ", trust.ReasonMismatchedEnd},
	{"an END line that does not end", swap("END CERTIFICATE-----", "END CERTIFICATE----"), "line 16, in block 2: ", trust.ReasonMismatchedEnd},
	{"text behind END", swap("END CERTIFICATE-----\n", "END CERTIFICATE----- #\n"), "line 16, in block 2: ", trust.ReasonBehindEnd},
	{"a dash behind END", swap("END CERTIFICATE-----\n", "END CERTIFICATE------\n"), "line 16, in block 2: ", trust.ReasonBehindEnd},
	{"files joined without a line break", func(b string) string { return strings.TrimSuffix(b, "\n") + b }, "line 16, in block 2: ", trust.ReasonBehindEnd},
	{"a header", swap(beginLine, beginLine+"Proc-Type: 4,ENCRYPTED\n\n"), "line 10, in block 2: ", trust.ReasonHeader},
	{"a header at the end", swap(endLine, "Comment: b\n"+endLine), "line 16, in block 2: ", trust.ReasonHeader},

	{"an empty line in a block", onLine(3, func(l string) string { return "\n" + l }), "line 12, in block 2: ", trust.ReasonBase64},
	{"an empty line before END", swap(endLine, "\n"+endLine), "line 16, in block 2: ", trust.ReasonBase64},
	{"an indented line", onLine(3, func(l string) string { return " " + l }), "line 12, in block 2: ", trust.ReasonBase64},
	{"a space behind a line", onLine(3, func(l string) string { return strings.TrimSuffix(l, "\n") + " \n" }), "line 12, in block 2: ", trust.ReasonBase64},
	{"a character that base64 has not", onLine(6, func(l string) string { return l[:9] + "!" + l[10:] }), "line 15, in block 2: ", trust.ReasonBase64},
	{"base64 for URLs", onLine(2, func(l string) string { return "_" + l[1:] }), "line 11, in block 2: ", trust.ReasonBase64},
	{"NUL in a block", onLine(3, func(l string) string { return "\x00" + l }), "line 12, in block 2: ", trust.ReasonBase64},
	{"a character lost", onLine(1, func(l string) string { return l[1:] }), "line 15, in block 2: ", trust.ReasonBase64},
	{"padding in the midst", onLine(3, func(l string) string { return l[:62] + "==\n" }), "line 13, in block 2: ", trust.ReasonBase64},
	{"something behind the padding", swap(endLine, "AAAA\n"+endLine), "line 16, in block 2: ", trust.ReasonBase64},
	{"bits behind the last byte", swap("I=\n", "J=\n"), "line 15, in block 2: ", trust.ReasonBase64},
}

// padded is an authority whose base64 ends in I=, so that a bit can be set behind
// its last byte.
const padded = "bb"

func TestTheBundleIsRefusedWithThePlaceOfWhatIsWrong(t *testing.T) {
	a, b := authority(t, "a"), authority(t, padded)
	for _, block := range []string{a, b} {
		if strings.Count(block, "\n") != 8 {
			t.Fatalf("a block has %d lines, not the 8 that the table counts with", strings.Count(block, "\n"))
		}
	}
	for _, tc := range structureRefusals {
		t.Run(tc.name, func(t *testing.T) {
			replaced := tc.replace(b)
			if replaced == b {
				t.Fatal("the block is as it was")
			}
			tc.check(t, a+replaced)
		})
	}
}

func (r refusal) check(t *testing.T, text string) {
	t.Helper()
	bundle, err := trust.Parse([]byte(text))
	if err == nil {
		t.Fatal("the bundle is taken")
	}
	if got := reasonOf(err); got != r.reason {
		t.Errorf("refused for %q, want %q", got, r.reason)
	}
	what, _, _ := strings.Cut(string(r.reason), ";")
	if want := r.want + what; !strings.HasPrefix(err.Error(), want) {
		t.Errorf("the error is %q, want it to begin with %q", err, want)
	}
	if !bundle.IsEmpty() || len(bundle.PEM()) > 0 {
		t.Error("something of the bundle is taken all the same")
	}
}

func TestTheBundleIsRefusedBeforeItsFirstBlock(t *testing.T) {
	a := authority(t, "a")
	for _, tc := range []refusal{
		{"a byte order mark", func(a string) string { return "\ufeff" + a }, "line 1, before the first block: ", trust.ReasonByteOrderMark},
		{"a byte order mark alone", always("\ufeff"), "line 1, before the first block: ", trust.ReasonByteOrderMark},
		{"text of Windows in UTF-16", func(a string) string { return "\xff\xfe" + a }, "line 1, before the first block: ", trust.ReasonOutsideBlocks},
		{"a subject, as some tools write it", func(a string) string { return "\nsubject=CN=a\n" + a }, "line 2, before the first block: ", trust.ReasonOutsideBlocks},
		{"DER", func(string) string { return string(der(t, "a", nil)) }, "line 1, before the first block: ", trust.ReasonOutsideBlocks},
		{"the path of a file", always("/etc/ssl/ca.pem"), "line 1, before the first block: ", trust.ReasonOutsideBlocks},
		{"a carriage return", always("\r"), "line 1, before the first block: ", trust.ReasonCarriageReturn},
		{"an END line", always(endLine), "line 1, before the first block: ", trust.ReasonEndWithoutBegin},
	} {
		t.Run(tc.name, func(t *testing.T) { tc.check(t, tc.replace(a)) })
	}
}

func TestABlockThatIsNoCertificateIsNamed(t *testing.T) {
	a := authority(t, "a")
	for label, want := range map[string]string{
		"TRUSTED CERTIFICATE": "(TRUSTED CERTIFICATE)",
		"X509 CRL":            "(X509 CRL)",
		"certificate":         "(certificate)",
		" CERTIFICATE":        "( CERTIFICATE)",
		"PUBLIC KEY":          "(PUBLIC KEY)",
		"A\x1b[31m\u200b":     "(A?[31m?)",
		// No more than 64 characters, the last of which says so.
		strings.Repeat("X", 1000): "(" + strings.Repeat("X", 63) + "…)",
	} {
		r := refusal{want: "line 9, in block 2: ", reason: trust.ReasonNotCertificateBlock}
		text := a + inPEM(label, []byte("some content"))
		r.check(t, text)
		if _, err := trust.Parse([]byte(text)); !strings.Contains(err.Error(), want+"; ") {
			t.Errorf("the error is %q, want %q in it", err, want)
		}
	}
}

func TestAPrivateKeyIsCalledSoAndNotRepeated(t *testing.T) {
	for _, label := range []string{"PRIVATE KEY", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "OPENSSH PRIVATE KEY"} {
		text := authority(t, "a") + inPEM(label, []byte("the secret of all secrets"))
		refusal{want: "line 9, in block 2: ", reason: trust.ReasonPrivateKey}.check(t, text)
		_, err := trust.Parse([]byte(text))
		if !strings.Contains(err.Error(), "PRIVATE KEY") || strings.Contains(err.Error(), "dGhlIHNlY3JldCBv") {
			t.Errorf("the error is %q", err)
		}
	}
}

// A certificate of some host before the key of it, as in a file for a server:
// the key matters more.
func TestAPrivateKeyIsSeenBehindACertificateThatIsNoAuthoritys(t *testing.T) {
	leaf := der(t, "a", func(c *x509.Certificate) { c.IsCA, c.KeyUsage = false, 0 })
	text := inPEM("CERTIFICATE", leaf) + inPEM("PRIVATE KEY", []byte("secret"))
	if _, err := trust.Parse([]byte(text)); reasonOf(err) != trust.ReasonPrivateKey {
		t.Errorf("Parse = %v, want the key to be named", err)
	}
}

func TestWhatIsNoAuthoritysCertificateIsRefused(t *testing.T) {
	mutated := func(mutate func(*x509.Certificate)) []byte { return der(t, "who", mutate) }
	for name, tc := range map[string]struct {
		der    []byte
		reason trust.Reason
		detail string
	}{
		"nothing": {nil, trust.ReasonNotCertificate, "malformed certificate"},
		"text":    {[]byte("some text"), trust.ReasonNotCertificate, "malformed certificate"},
		"two certificates in one block": {
			append(mutated(nil), mutated(nil)...), trust.ReasonNotCertificate, "trailing data"},
		"a byte behind it": {append(mutated(nil), 0), trust.ReasonNotCertificate, "trailing data"},
		"half of one":      {mutated(nil)[:150], trust.ReasonNotCertificate, "malformed certificate"},
		"a host's": {
			mutated(func(c *x509.Certificate) { c.IsCA, c.KeyUsage = false, x509.KeyUsageDigitalSignature }), trust.ReasonNotAuthority, "CN=who"},
		"one without basicConstraints": {
			mutated(func(c *x509.Certificate) { c.BasicConstraintsValid, c.IsCA = false, false }), trust.ReasonNotAuthority, "CN=who"},
		"a key that signs revocations only": {
			mutated(func(c *x509.Certificate) { c.KeyUsage = x509.KeyUsageCRLSign }), trust.ReasonKeyUsage, "CN=who"},
		"a key that may do nothing": {
			mutated(func(c *x509.Certificate) {
				c.KeyUsage = 0
				c.ExtraExtensions = []pkix.Extension{{Id: asn1.ObjectIdentifier{2, 5, 29, 15}, Value: []byte{3, 2, 7, 0}}}
			}), trust.ReasonKeyUsage, "CN=who"},
		"version 1": {version1(t, mutated(nil)), trust.ReasonVersion, "CN=who"},
		"a subject without end": {
			mutated(func(c *x509.Certificate) {
				c.IsCA, c.KeyUsage, c.Subject.CommonName = false, 0, "\n"+strings.Repeat("x", 1000)
			}), trust.ReasonNotAuthority, "CN=?" + strings.Repeat("x", 59) + "…"},
	} {
		t.Run(name, func(t *testing.T) {
			text := authority(t, "a") + inPEM("CERTIFICATE", tc.der)
			r := refusal{want: "line 9, in block 2: ", reason: tc.reason}
			r.check(t, text)
			_, err := trust.Parse([]byte(text))
			if !strings.Contains(err.Error(), " ("+tc.detail+"); ") {
				t.Errorf("the error is %q, want (%s) in it", err, tc.detail)
			}
		})
	}
}

// The parser quotes a domain that it cannot read.
func TestWhatTheParserQuotesIsNotRepeated(t *testing.T) {
	odd := der(t, "a", func(c *x509.Certificate) {
		c.PermittedDNSDomains = []string{"inner..secret"}
	})
	_, plain := x509.ParseCertificate(odd)
	if plain == nil || !strings.Contains(plain.Error(), "inner..secret") {
		t.Fatalf("the parser says %v: this tries nothing", plain)
	}
	_, err := trust.Parse([]byte(inPEM("CERTIFICATE", odd)))
	if reasonOf(err) != trust.ReasonNotCertificate || strings.Contains(err.Error(), "inner") {
		t.Errorf("the error is %v", err)
	}
}

// Junk of every kind, at every place of a bundle.
func TestJunkAnywhereMeansRefusal(t *testing.T) {
	text := authorities(t, "a", "b")
	want := parse(t, text).Digest()
	for _, junk := range []string{"!", "-", "=", "A", ":", "#", "\x00", "\v", "\f", "\u00a0", "\x80", "\ufeff", "-----BEGIN ", endLine} {
		for at := range len(text) + 1 {
			bundle, err := trust.Parse([]byte(text[:at] + junk + text[at:]))
			if err == nil {
				t.Fatalf("%q at byte %d is taken, with the same digest: %v", junk, at, bundle.Digest() == want)
			}
		}
	}
}

func TestWhiteSpaceNeverChangesWhatIsTrusted(t *testing.T) {
	text := authorities(t, "a", "b")
	want := parse(t, text).Digest()
	taken := 0
	for _, space := range []string{" ", "\t", "\n", "\r\n", "\r"} {
		for at := range len(text) + 1 {
			bundle, err := trust.Parse([]byte(text[:at] + space + text[at:]))
			switch {
			case err == nil && bundle.Digest() != want:
				t.Fatalf("%q at byte %d changes the bundle", space, at)
			case err == nil:
				taken++
			}
		}
	}
	if taken < 10 {
		t.Errorf("white space is taken in %d places: this tries little", taken)
	}
}

func TestAnErrorIsOneLineThatCanBePrinted(t *testing.T) {
	for _, tc := range structureRefusals {
		_, err := trust.Parse([]byte(authority(t, "a") + tc.replace(authority(t, padded))))
		checkMessage(t, err)
	}
}

// checkMessage holds an error to what every one of them has.
func checkMessage(t *testing.T, err error) {
	t.Helper()
	var refused *trust.BundleError
	if !errors.As(err, &refused) {
		t.Fatalf("the error is %T", err)
	}
	message := err.Error()
	if len(message) > 600 || strings.ContainsFunc(message, func(char rune) bool { return !unicode.IsPrint(char) }) {
		t.Errorf("the error cannot be printed or is too long: %q", message)
	}
	if !strings.Contains(message, "; ") {
		t.Errorf("the error names no way out: %q", message)
	}
}
