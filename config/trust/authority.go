package trust

import (
	"crypto/x509"
	"encoding/asn1"
	"strings"
)

// authority returns the one certificate that the block holds, of an authority.
// One that has expired is taken: a bundle often carries the old authority beside
// the new one, and connections that rest on the old one are refused anyway.
func (b *block) authority() (*x509.Certificate, error) {
	der, err := b.decode()
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, b.refuse(ReasonNotCertificate, unquoting(err))
	}
	if reason, refused := notAuthority(certificate); refused {
		return nil, b.refuse(reason, certificate.Subject.String())
	}
	return certificate, nil
}

func notAuthority(certificate *x509.Certificate) (Reason, bool) {
	switch {
	case certificate.Version < 3:
		return ReasonVersion, true
	case !certificate.BasicConstraintsValid || !certificate.IsCA:
		return ReasonNotAuthority, true
	case hasKeyUsage(certificate) && certificate.KeyUsage&x509.KeyUsageCertSign == 0:
		return ReasonKeyUsage, true
	default:
		return "", false
	}
}

// hasKeyUsage looks for the extension itself: one that allows nothing is read as
// the same number as none.
func hasKeyUsage(certificate *x509.Certificate) bool {
	keyUsage := asn1.ObjectIdentifier{2, 5, 29, 15}
	for _, extension := range certificate.Extensions {
		if extension.Id.Equal(keyUsage) {
			return true
		}
	}
	return false
}

// unquoting returns what the parser said, unless it quotes from the certificate.
func unquoting(err error) string {
	if text := err.Error(); !strings.Contains(text, `"`) {
		return strings.TrimPrefix(text, "x509: ")
	}
	return ""
}
