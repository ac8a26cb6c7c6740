package outbound

import (
	"crypto/x509"
	"encoding/pem"
)

// rootPool returns the system's CA certificates and those in a PEM text. Without
// the system's it is an error: what was trusted yesterday would not be today.
func rootPool(system func() (*x509.CertPool, error), roots []byte) (*x509.CertPool, error) {
	pool, err := system()
	if err != nil {
		return nil, &ConfigError{failure{"load the system's CA certificates: " + err.Error(), err}}
	}
	pool = pool.Clone() // whoever gave it may give it again
	for len(roots) > 0 {
		block, rest := pem.Decode(roots)
		if block == nil {
			return nil, configErrorf("the trusted CA certificates are not canonical PEM")
		}
		roots = rest
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			return nil, configErrorf("the trusted CA certificates hold a block that is no certificate")
		}
		pool.AddCert(certificate)
	}
	return pool, nil
}
