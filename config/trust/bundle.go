package trust

import (
	"bytes"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"slices"
	"strings"
)

// Limits of a bundle, and of a union of bundles. The bundle of a whole operating
// system has about 150 certificates and half of that size.
const (
	MaxBytes        = 512 << 10
	MaxCertificates = 256
)

// Bundle is a set of certificates of authorities. It never changes. The zero
// value is the empty one: nothing is trusted besides what the system trusts.
type Bundle struct {
	certificates []*x509.Certificate // by DER, each once
	encoded      string
}

// Parse reads a bundle: CERTIFICATE blocks (RFC 7468) and white space, that is
// space, tab, LF and CRLF. Each certificate must be an authority's. Nothing at
// all is the empty Bundle. The error is a [*BundleError].
func Parse(text []byte) (Bundle, error) {
	// Before anything is parsed: what comes from elsewhere must not cost much.
	if len(text) > MaxBytes {
		return Bundle{}, &BundleError{Reason: ReasonTooLarge}
	}
	if bytes.Count(text, []byte(beginMark)) > MaxCertificates {
		return Bundle{}, &BundleError{Reason: ReasonTooManyCertificates}
	}
	blocks, err := scan(text)
	if err != nil {
		return Bundle{}, err
	}
	certificates := make([]*x509.Certificate, len(blocks))
	for i := range blocks {
		if certificates[i], err = blocks[i].authority(); err != nil {
			return Bundle{}, err
		}
	}
	return canonical(certificates)
}

// Union is all that any of the bundles has. The error is a [*BundleError], if
// that is more than one bundle may hold.
func Union(bundles ...Bundle) (Bundle, error) {
	var all []*x509.Certificate
	for _, bundle := range bundles {
		all = append(all, bundle.certificates...)
	}
	return canonical(all)
}

// canonical sorts the certificates in place and drops those that are there twice.
func canonical(certificates []*x509.Certificate) (Bundle, error) {
	slices.SortFunc(certificates, func(a, b *x509.Certificate) int { return bytes.Compare(a.Raw, b.Raw) })
	certificates = slices.CompactFunc(certificates, (*x509.Certificate).Equal)
	if len(certificates) > MaxCertificates {
		return Bundle{}, &BundleError{Reason: ReasonTooManyCertificates}
	}
	var encoded strings.Builder
	for _, certificate := range certificates {
		encoded.Write(pem.EncodeToMemory(&pem.Block{Type: certificateLabel, Bytes: certificate.Raw}))
	}
	// Long lines are broken, so even one bundle can have grown.
	if encoded.Len() > MaxBytes {
		return Bundle{}, &BundleError{Reason: ReasonTooLarge}
	}
	return Bundle{certificates, encoded.String()}, nil
}

// PEM returns the canonical form: the certificates by their DER, lines of at most
// 64 characters that end in LF, and nothing between. [Parse] takes it.
func (b Bundle) PEM() []byte { return []byte(b.encoded) }

// Digest returns the SHA-256 of the canonical form in hexadecimal.
func (b Bundle) Digest() string {
	sum := sha256.Sum256([]byte(b.encoded))
	return hex.EncodeToString(sum[:])
}

// IsEmpty reports whether the bundle adds nothing to what the system trusts.
func (b Bundle) IsEmpty() bool { return len(b.certificates) == 0 }

// AddTo adds the certificates to a pool.
func (b Bundle) AddTo(pool *x509.CertPool) {
	for _, certificate := range b.certificates {
		pool.AddCert(certificate)
	}
}
