package outbound

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"hash"
)

// fingerprint tells versions apart. It is never written anywhere.
type fingerprint [sha256.Size]byte

// newFingerprinter returns a function that takes fingerprints with a key of its
// own, which nobody knows: should one get out all the same, a password cannot be
// guessed from it.
func newFingerprinter() func(spec) fingerprint {
	key := make([]byte, sha256.Size)
	_, _ = rand.Read(key) // never fails
	return func(s spec) fingerprint {
		f := fields{hmac.New(sha256.New, key)}
		f.profile(s.profile)
		f.origins(s.origins)
		f.auth(s.auth)
		f.bytes(s.roots)
		f.bytes(s.clientCert.certificate)
		f.bytes(s.clientCert.key)
		return fingerprint(f.Sum(nil))
	}
}

// fields writes each field after its length, so that none can pass for part of
// its neighbour.
type fields struct{ hash.Hash }

func (f fields) number(n int64) { _, _ = f.Write(binary.BigEndian.AppendUint64(nil, uint64(n))) }

func (f fields) bytes(b []byte) {
	f.number(int64(len(b)))
	_, _ = f.Write(b)
}

func (f fields) text(s string) { f.bytes([]byte(s)) }

func (f fields) flag(b bool) {
	if b {
		f.number(1)
	} else {
		f.number(0)
	}
}

func (f fields) texts(list []string) {
	f.number(int64(len(list)))
	for _, s := range list {
		f.text(s)
	}
}

func (f fields) origins(list []origin) {
	f.number(int64(len(list)))
	for _, o := range list {
		f.texts([]string{o.scheme, o.host, o.port})
	}
}

func (f fields) profile(p Profile) {
	f.text(p.Name)
	f.number(int64(p.Timeout))
	f.number(int64(p.MaxIdleConnsPerHost))
	f.flag(p.MinTLS12)
	f.text(p.ClientCertificateFile)
	f.text(p.ClientKeyFile)
}

func (f fields) auth(a Auth) {
	f.number(int64(a.Mode))
	f.text(a.TokenURL)
	f.text(a.Issuer)
	f.text(a.ClientID)
	f.text(a.ClientSecret.reveal())
	f.number(int64(a.ClientAuthentication))
	f.text(a.Username.reveal())
	f.text(a.Password.reveal())
	f.texts(a.Scopes)
	f.text(a.Audience)
}
