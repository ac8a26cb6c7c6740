package outbound

import (
	"crypto/x509"
	"fmt"
	"strings"
)

// listed returns the names in a certificate for the end of a message: quoted,
// since a server chose them, and no more than fit a line.
func listed(certificate *x509.Certificate) string {
	if certificate == nil {
		return ""
	}
	names := certificate.DNSNames
	for _, ip := range certificate.IPAddresses {
		names = append(names[:len(names):len(names)], ip.String())
	}
	all := strings.Join(names, ", ")
	switch {
	case all == "":
		return ""
	case len(all) > maxNameBytes:
		return fmt.Sprintf(": %q and more", all[:maxNameBytes])
	}
	return fmt.Sprintf(": %q", all)
}
