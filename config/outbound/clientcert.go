package outbound

import "crypto/tls"

// pemPair is a client certificate and its key, as the files hold them. It is
// empty where there are none.
type pemPair struct{ certificate, key []byte }

// readPair reads what a profile names. A pair that is caught halfway through its
// replacement does not fit together, and is read anew for the next acquisition.
func readPair(profile Profile) (pemPair, error) {
	if profile.ClientCertificateFile == "" {
		return pemPair{}, nil
	}
	certificate, err := readBounded(profile.ClientCertificateFile)
	if err != nil {
		return pemPair{}, &ConfigError{failure{"read the client certificate: " + err.Error(), err}}
	}
	key, err := readBounded(profile.ClientKeyFile)
	if err != nil {
		return pemPair{}, &ConfigError{failure{"read the client certificate's key: " + err.Error(), err}}
	}
	return pemPair{certificate, key}, nil
}

// certificates returns the pair for TLS. The error has not the cause's text,
// which may quote the files.
func (p pemPair) certificates(profile Profile) ([]tls.Certificate, error) {
	if profile.ClientCertificateFile == "" {
		return nil, nil
	}
	certificate, err := tls.X509KeyPair(p.certificate, p.key)
	if err != nil {
		return nil, configErrorf("%s and %s are not a certificate and its key in PEM", profile.ClientCertificateFile, profile.ClientKeyFile)
	}
	return []tls.Certificate{certificate}, nil
}
