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

// mayBear reports whether a Certificate of that name can have given a listener
// this name. It is the test that a ledger entry must pass to be believed.
func mayBear(name gatewayv1.SectionName, certificateName string) bool {
	stem := namePrefix + sanitize(certificateName) + "-"
	if whole := cut(stem); whole != stem {
		stem = strings.TrimRight(whole, "-")
	}
	return strings.HasPrefix(string(name), stem)
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
	sum := sha256.Sum256([]byte(identity))
	return strings.TrimRight(cut(text), "-._") + "-" + hex.EncodeToString(sum[:])[:digestLength]
}

func cut(text string) string {
	return text[:min(len(text), maxNameLength-digestLength-1)]
}
