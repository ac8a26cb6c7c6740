package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/types"
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

// names are those that a claim's listener has nearly always. They are made once,
// because a plan asks for them often.
type names struct {
	plain  gatewayv1.SectionName // the hashed one where the plain one is too long
	hashed gatewayv1.SectionName
	legacy gatewayv1.SectionName
}

func namesFor(certificate types.NamespacedName, hostname gatewayv1.Hostname) names {
	spelled := spell(certificate, hostname)
	n := names{plain: gatewayv1.SectionName(spelled), legacy: legacyName(certificate, hostname)}
	n.hashed = gatewayv1.SectionName(shorten(spelled, identityOf(certificate, hostname)))
	if len(spelled) > maxNameLength {
		n.plain = n.hashed
	}
	return n
}

func spell(certificate types.NamespacedName, hostname gatewayv1.Hostname) string {
	return namePrefix + sanitize(certificate.Name) + "-" + sanitize(string(hostname))
}

// identityOf is unambiguous: neither a name nor a hostname holds a slash.
func identityOf(certificate types.NamespacedName, hostname gatewayv1.Hostname) string {
	return certificate.String() + "/" + string(hostname)
}

// candidate returns the n-th name that a claim may bear, best first: the plain
// one, then ever new hashed ones. Names are an API (HTTPRoutes point at them),
// so the sequence depends on nothing but the Certificate and the hostname.
func (c claim) candidate(n int) gatewayv1.SectionName {
	switch n {
	case 0:
		return c.names.plain
	case 1:
		return c.names.hashed
	}
	identity := identityOf(c.certificate, c.hostname) + "/" + strconv.Itoa(n)
	return gatewayv1.SectionName(shorten(spell(c.certificate, c.hostname), identity))
}

// mayBear reports whether a listener of that name can have been made for the
// claim. It is the test that a ledger's word must pass to be believed.
func (c claim) mayBear(name gatewayv1.SectionName) bool {
	return c.mostLikelyBears(name) || c.mayBearOneOfMany(name)
}

func (c claim) mostLikelyBears(name gatewayv1.SectionName) bool {
	return name == c.names.plain || name == c.names.hashed || name == c.names.legacy
}

// mayBearOneOfMany is for when each name before it was taken by a listener.
func (c claim) mayBearOneOfMany(name gatewayv1.SectionName) bool {
	first := string(c.names.hashed)
	if !strings.HasPrefix(string(name), first[:len(first)-digestLength]) {
		return false
	}
	for n := 2; n <= maxListeners; n++ {
		if name == c.candidate(n) {
			return true
		}
	}
	return false
}

// legacyName is how the gateway-cert-operator named its listeners. Those that
// it left are taken over under their names, because routes point at them.
func legacyName(certificate types.NamespacedName, hostname gatewayv1.Hostname) gatewayv1.SectionName {
	name := namePrefix + certificate.Name + "-" + strings.Trim(sanitize(string(hostname)), "-")
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
	spelledOut := name == c.names.plain && name != c.names.hashed || name == c.names.legacy
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
