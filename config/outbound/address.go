package outbound

import (
	"cmp"
	"net/url"
	"strings"
)

// parseURL reads a URL that a setting holds; what names the setting. Errors do
// not repeat the URL, which may hold credentials.
func parseURL(what, text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Hostname() == "" || len(u.Host) > maxHostBytes || u.Scheme != "http" && u.Scheme != "https":
		return nil, configErrorf("%s is not a URL of the form https://HOST/PATH", what)
	case u.User != nil:
		return nil, configErrorf("%s holds a user name or a password: take them out", what)
	case u.Fragment != "" || strings.Contains(text, "#"):
		return nil, configErrorf("%s has a fragment, which no server sees: take it out", what)
	}
	return u, nil
}

// parseHTTPS is parseURL for where credentials or tokens go.
func parseHTTPS(what, text string) (*url.URL, error) {
	u, err := parseURL(what, text)
	if err == nil && u.Scheme != "https" {
		return nil, configErrorf("%s is on %s without TLS: credentials and tokens go over https only", what, u.Host)
	}
	return u, err
}

// origin is where requests go: scheme, host and port, as in RFC 6454.
type origin struct{ scheme, host, port string }

func originOf(u *url.URL) origin {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return origin{u.Scheme, strings.ToLower(u.Hostname()), port}
}

func (o origin) compare(other origin) int {
	return cmp.Or(strings.Compare(o.scheme, other.scheme), strings.Compare(o.host, other.host), strings.Compare(o.port, other.port))
}
