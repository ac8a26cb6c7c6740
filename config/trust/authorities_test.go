package trust_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/config/trust"
)

// der is the certificate of an authority of this name, the same every time;
// mutate, if it is not nil, changes the template before.
func der(tb testing.TB, name string, mutate func(*x509.Certificate)) []byte {
	tb.Helper()
	seed := sha256.Sum256([]byte(name))
	key := ed25519.NewKeyFromSeed(seed[:])
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: name},
		NotBefore:             time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		NotAfter:              time.Date(2126, 1, 1, 0, 0, 0, 0, time.UTC),
		KeyUsage:              x509.KeyUsageCertSign,
		BasicConstraintsValid: true,
		IsCA:                  true,
	}
	if mutate != nil {
		mutate(template)
	}
	signed, err := x509.CreateCertificate(nil, template, template, key.Public(), key)
	if err != nil {
		tb.Fatal(err)
	}
	return signed
}

// inPEM is a block.
func inPEM(label string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: label, Bytes: der}))
}

// made are blocks by the names of their authorities: under the race detector a
// signature takes milliseconds.
var made sync.Map

// authority is the block of an authority's certificate.
func authority(tb testing.TB, name string) string {
	tb.Helper()
	if known, ok := made.Load(name); ok {
		return known.(string)
	}
	block := inPEM("CERTIFICATE", der(tb, name, nil))
	made.Store(name, block)
	return block
}

// authorities are the blocks of as many authorities as there are names.
func authorities(tb testing.TB, names ...string) string {
	tb.Helper()
	var text strings.Builder
	for _, name := range names {
		text.WriteString(authority(tb, name))
	}
	return text.String()
}

// heavy is the block of an authority whose certificate has about so many bytes.
func heavy(tb testing.TB, name string, size int) string {
	tb.Helper()
	return inPEM("CERTIFICATE", der(tb, name, func(c *x509.Certificate) {
		c.ExtraExtensions = []pkix.Extension{{Id: asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 99999, 1}, Value: make([]byte, size)}}
	}))
}

// version1 is the certificate as X.509 version 1 had it: without a version and
// without extensions. Its signature is wrong, which nobody looks at.
func version1(tb testing.TB, from []byte) []byte {
	tb.Helper()
	type certificate struct {
		Body, Algorithm asn1.RawValue
		Signature       asn1.BitString
	}
	var whole certificate
	if _, err := asn1.Unmarshal(from, &whole); err != nil {
		tb.Fatal(err)
	}
	var kept []byte
	for rest := whole.Body.Bytes; len(rest) > 0; {
		var field asn1.RawValue
		var err error
		if rest, err = asn1.Unmarshal(rest, &field); err != nil {
			tb.Fatal(err)
		}
		if field.Class != asn1.ClassContextSpecific {
			kept = append(kept, field.FullBytes...)
		}
	}
	whole.Body = asn1.RawValue{Tag: asn1.TagSequence, IsCompound: true, Bytes: kept}
	encoded, err := asn1.Marshal(whole)
	if err != nil {
		tb.Fatal(err)
	}
	return encoded
}

func parse(tb testing.TB, text string) trust.Bundle {
	tb.Helper()
	bundle, err := trust.Parse([]byte(text))
	if err != nil {
		tb.Fatalf("Parse: %v", err)
	}
	return bundle
}

// pool is what a client of this bundle alone trusts.
func pool(bundle trust.Bundle) *x509.CertPool {
	trusted := x509.NewCertPool()
	bundle.AddTo(trusted)
	return trusted
}

// poolOf is the pool of blocks, as the standard library reads them.
func poolOf(text string) *x509.CertPool {
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM([]byte(text))
	return trusted
}

// decodeAll returns the contents of blocks, as the standard library finds them.
func decodeAll(text []byte) [][]byte {
	var found [][]byte
	for {
		block, rest := pem.Decode(text)
		if block == nil {
			return found
		}
		found, text = append(found, block.Bytes), rest
	}
}

// without leaves out whatever one entry equals.
func without(all [][]byte, one []byte) [][]byte {
	var left [][]byte
	for _, entry := range all {
		if !bytes.Equal(entry, one) {
			left = append(left, entry)
		}
	}
	return left
}
