package machine

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// validity is far above what a node lives.
const validity = 30 * 24 * time.Hour

// writePKI makes the authority of the node, what the API server shows to clients
// and to kubelet, the key that signs tokens, and the administrator's token.
func writePKI(dir, token string) error {
	key, err := newKey()
	if err != nil {
		return err
	}
	authority := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "node"},
		NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(validity),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	w := pkiWriter{dir: dir, authority: authority, key: key}
	w.certificate("ca", authority, key)
	w.issue("apiserver", &x509.Certificate{
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    []string{"kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"},
		IPAddresses: []net.IP{net.ParseIP("127.0.0.1"), net.ParseIP(NodeIP), net.ParseIP(serviceIP)},
	})
	w.issue("client", &x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	accounts, err := newKey()
	if err != nil {
		return err
	}
	w.private("accounts", accounts)
	w.file("tokens.csv", []byte(token+",admin,admin,system:masters\n"))
	if w.err != nil {
		return fmt.Errorf("write keys and certificates: %w", w.err)
	}
	return nil
}

func newKey() (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a key: %w", err)
	}
	return key, nil
}

// pkiWriter writes files until one cannot be written.
type pkiWriter struct {
	dir       string
	authority *x509.Certificate
	key       *ecdsa.PrivateKey // the authority's
	err       error
}

// issue writes a certificate of the authority, and its key.
func (w *pkiWriter) issue(name string, template *x509.Certificate) {
	key, err := newKey()
	if err != nil {
		w.err = err
		return
	}
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.Subject = pkix.Name{CommonName: name}
	template.NotBefore, template.NotAfter = w.authority.NotBefore, w.authority.NotAfter
	w.certificate(name, template, key)
	w.private(name, key)
}

func (w *pkiWriter) certificate(name string, template *x509.Certificate, key *ecdsa.PrivateKey) {
	der, err := x509.CreateCertificate(rand.Reader, template, w.authority, key.Public(), w.key)
	if err != nil {
		w.err = err
		return
	}
	w.file(name+".crt", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

func (w *pkiWriter) private(name string, key *ecdsa.PrivateKey) {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		w.err = err
		return
	}
	w.file(name+".key", pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}))
}

func (w *pkiWriter) file(name string, content []byte) {
	if w.err == nil {
		w.err = os.WriteFile(filepath.Join(w.dir, name), content, 0o600)
	}
}
