package plan

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"strings"

	"golang.org/x/net/idna"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

const (
	maxHostnameLength = 253 // MaxLength of Hostname in gateway.networking.k8s.io/v1
	maxLabelLength    = 63  // RFC 1035 section 2.3.4
	wildcardPrefix    = "*."
)

// hostnamePattern is that of Hostname in gateway.networking.k8s.io/v1, without
// the wildcard, which is taken off before.
var hostnamePattern = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)

// lookup is the profile by which a client looks a name up (RFC 5891 section 5),
// but for one rule: hyphens in the third and fourth place are allowed, because
// names such as r3---sn.example.com are in use, and no client minds them.
var lookup = idna.New(idna.MapForLookup(), idna.BidiRule(), idna.StrictDomainName(true), idna.CheckHyphens(false))

// Why a DNS name cannot be a listener's hostname, for errors.Is.
var (
	ErrEmptyHostname        = errors.New("it is empty")
	ErrBareWildcard         = errors.New("a bare * would take every hostname")
	ErrMisplacedWildcard    = errors.New("only the whole leftmost label may be *")
	ErrIPAddress            = errors.New("an IP address is not sent as a TLS server name")
	ErrNoALabel             = errors.New("it has no A-label form")
	ErrHostnameTooLong      = fmt.Errorf("it has more than %d characters", maxHostnameLength)
	ErrHostnameLabelTooLong = fmt.Errorf("a label has more than %d characters", maxLabelLength)
	ErrNotADNSName          = errors.New("it is not a DNS name of letters, digits, inner hyphens and dots")
)

// NormalizeHostname returns a Certificate's DNS name as a listener's hostname:
// lower case, without one trailing dot, in A-labels (IDNA, RFC 5891 look-up).
// It refuses, with one of the errors above, what the Gateway API does not take
// and what no TLS client can ask for: IP addresses (RFC 6066 section 3), a bare
// "*", and a "*" anywhere but as the whole leftmost label.
func NormalizeHostname(dnsName string) (gatewayv1.Hostname, error) {
	name := strings.TrimSuffix(strings.ToLower(dnsName), ".")
	prefix := ""
	if rest, ok := strings.CutPrefix(name, wildcardPrefix); ok {
		prefix, name = wildcardPrefix, rest
	}
	switch {
	case name == "":
		return "", ErrEmptyHostname
	case name == "*":
		return "", ErrBareWildcard
	case strings.Contains(name, "*"):
		return "", ErrMisplacedWildcard
	}
	if _, err := netip.ParseAddr(name); err == nil {
		return "", ErrIPAddress
	}
	ascii, err := lookup.ToASCII(name)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNoALabel, err)
	}
	if _, err := netip.ParseAddr(ascii); err == nil || endsInNumber(ascii) {
		return "", ErrIPAddress
	}
	if err := checkHostname(prefix, ascii); err != nil {
		return "", err
	}
	return gatewayv1.Hostname(prefix + ascii), nil
}

// numberLabel is what clients read as part of an IPv4 address where it is the
// last label (WHATWG URL, "ends in a number"): 127.1 and 0x7f.1 are addresses.
var numberLabel = regexp.MustCompile(`^([0-9]+|0x[0-9a-f]*)$`)

func endsInNumber(ascii string) bool {
	return numberLabel.MatchString(ascii[strings.LastIndexByte(ascii, '.')+1:])
}

func checkHostname(prefix, ascii string) error {
	if n := len(prefix) + len(ascii); n > maxHostnameLength {
		return fmt.Errorf("%w: %d", ErrHostnameTooLong, n)
	}
	if !hostnamePattern.MatchString(ascii) {
		return ErrNotADNSName
	}
	for label := range strings.SplitSeq(ascii, ".") {
		if len(label) > maxLabelLength {
			return fmt.Errorf("%w: %q", ErrHostnameLabelTooLong, label)
		}
	}
	return nil
}
