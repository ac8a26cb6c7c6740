package outbound

import (
	"net/http"
	"time"
)

// Profile is how a kind of client behaves, whoever owns it.
type Profile struct {
	// Name is that by which a [Config] refers to the profile.
	Name string
	// Timeout is on each HTTP request, from the connection to the last byte of the
	// answer; the request for an issuer's metadata and each for a token have one of
	// their own. Above 0, at most 5 minutes.
	Timeout time.Duration
	// MaxIdleConnsPerHost is how many idle connections are kept to one host. 0
	// stands for net/http's default, 2; at most 100.
	MaxIdleConnsPerHost int
	// MinTLS12 takes TLS 1.2 as well. Without it TLS 1.3 is the least.
	MinTLS12 bool
	// ClientCertificateFile and ClientKeyFile are PEM files of at most 64 KiB each
	// with what is shown to servers that ask for a client certificate: both or
	// none. They are read before each acquisition.
	ClientCertificateFile, ClientKeyFile string
}

func (p Profile) validate() error {
	switch {
	case p.Name == "":
		return configErrorf("a profile has no name")
	case p.Timeout <= 0 || p.Timeout > MaxTimeout:
		return configErrorf("profile %s: the timeout is %v: it must be above 0 and at most %v", p.Name, p.Timeout, MaxTimeout)
	case p.MaxIdleConnsPerHost < 0 || p.MaxIdleConnsPerHost > maxIdleConns:
		return configErrorf("profile %s: there cannot be %d idle connections for each host: 0 to %d are possible", p.Name, p.MaxIdleConnsPerHost, maxIdleConns)
	case (p.ClientCertificateFile == "") != (p.ClientKeyFile == ""):
		return configErrorf("profile %s: a client certificate and its key belong together: name both files or none", p.Name)
	}
	return nil
}

func (p Profile) idleConnsPerHost() int {
	if p.MaxIdleConnsPerHost == 0 {
		return http.DefaultMaxIdleConnsPerHost
	}
	return p.MaxIdleConnsPerHost
}
