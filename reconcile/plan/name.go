package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

const (
	// maxNameLength keeps a listener's name usable as a label value and as a
	// DNS label (RFC 1035 section 2.3.4), which the Gateway API's own limit of
	// 253 does not.
	maxNameLength = 63

	// digestLength is the number of hexadecimal digits of a name's suffix.
	digestLength = 8

	namePrefix = "auto-"

	// maxLegacyNameLength was the gateway-cert-operator's limit.
	maxLegacyNameLength = 253
)

// candidate returns the n-th name that a claim may bear, best first: the plain
// one, then ever new hashed ones. Names are an API (HTTPRoutes point at them),
// so the sequence depends on nothing but the Certificate and the hostname.
func (c claim) candidate(n int) gatewayv1.SectionName {
	plain := namePrefix + sanitize(c.certificate.Name) + "-" + sanitize(string(c.hostname))
	if n == 0 && len(plain) <= maxNameLength {
		return gatewayv1.SectionName(plain)
	}
	// Neither a name nor a hostname holds a slash: the joined text is unambiguous.
	identity := c.certificate.String() + "/" + string(c.hostname)
	if n > 1 {
		identity += "/" + strconv.Itoa(n)
	}
	return gatewayv1.SectionName(shorten(plain, identity))
}

// mayBear reports whether a listener of that name can have been made for the
// claim. It is the test that a ledger's word must pass to be believed.
func (c claim) mayBear(name gatewayv1.SectionName) bool {
	if name == c.candidate(0) || name == c.legacyName() {
		return true
	}
	first := string(c.candidate(1))
	if !strings.HasPrefix(string(name), first[:len(first)-digestLength]) {
		return false
	}
	for n := 1; n <= maxListeners; n++ { // each other one was taken by a listener
		if name == c.candidate(n) {
			return true
		}
	}
	return false
}

// legacyName is how the gateway-cert-operator named its listeners. Those that
// it left are taken over under their names, because routes point at them.
func (c claim) legacyName() gatewayv1.SectionName {
	name := namePrefix + c.certificate.Name + "-" + strings.Trim(sanitize(string(c.hostname)), "-")
	if len(name) > maxLegacyNameLength {
		name = strings.TrimRight(name[:maxLegacyNameLength-digestLength-1], "-.") + "-" + hexDigest(name, digestLength)
	}
	return gatewayv1.SectionName(name)
}

// entry is what the ledger says of the claim's listener under that name.
func (c claim) entry(name gatewayv1.SectionName) Entry {
	e := Entry{Certificate: c.certificate}
	if !c.told(name) {
		e.Hostname = c.hostname
	}
	return e
}

// told reports whether the name, which is the claim's, leaves no doubt of the
// hostname: a digest is of that hostname alone, and of those that are spelled
// alike in a name only one has nothing but dots for its hyphens.
func (c claim) told(name gatewayv1.SectionName) bool {
	spelledOut := name == c.candidate(0) && name != c.candidate(1) || name == c.legacyName()
	return !spelledOut || !strings.ContainsAny(string(c.hostname), "-*")
}

// sanitize spells text in the characters of a listener's name: "*" becomes
// "wildcard", all else outside [a-z0-9] becomes "-".
func sanitize(text string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case r == '*':
			b.WriteString("wildcard")
		default:
			b.WriteByte('-')
		}
	}
	return b.String()
}

// shorten returns text cut to leave room for a digest of identity, and that
// digest: at most [maxNameLength] characters.
func shorten(text, identity string) string {
	return strings.TrimRight(cut(text), "-._") + "-" + hexDigest(identity, digestLength)
}

// hexDigest returns the first hexadecimal digits of a text's SHA-256.
func hexDigest(text string, digits int) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:digits]
}

func cut(text string) string {
	return text[:min(len(text), maxNameLength-digestLength-1)]
}
