package deliver

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
)

// Target is where events go, and on whose behalf.
type Target struct {
	url   string
	token string
}

// NewTarget checks an address and the token that is to be shown there, which may
// be empty. A token travels in clear only within one machine or one cluster: to
// loopback, where kubectl port-forward listens, and to Services.
func NewTarget(address, token string) (Target, error) {
	parsed, err := url.Parse(address)
	switch {
	case err != nil:
		return Target{}, fmt.Errorf("%q is no URL", address)
	case parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "":
		return Target{}, fmt.Errorf("%q is no URL of the form http://HOST or https://HOST", address)
	case parsed.User != nil:
		return Target{}, errors.New("the URL must hold no user or password; the handler asks for tokens")
	case token != "" && parsed.Scheme == "http" && !near(parsed.Hostname()):
		return Target{}, fmt.Errorf("a token is sent by http to localhost and to Services of the cluster only, and %s is neither; use https", parsed.Hostname())
	}
	return Target{url: address, token: token}, nil
}

func near(host string) bool {
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback()
	}
	return host == "localhost" || strings.HasSuffix(host, ".svc") || strings.HasSuffix(host, ".svc.cluster.local")
}

// maxTokenBytes is what the handler takes at most.
const maxTokenBytes = 8 << 10

// ReadToken reads a token from a file, of which white space at the end is no
// part. No error holds the token.
func ReadToken(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read the token: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxTokenBytes+1))
	token := strings.TrimSpace(string(data))
	switch {
	case err != nil:
		return "", fmt.Errorf("read the token: %w", err)
	case len(data) > maxTokenBytes:
		return "", fmt.Errorf("read the token: %s holds more than %d bytes, and no token is as long", path, maxTokenBytes)
	case token == "":
		return "", fmt.Errorf("read the token: %s is empty", path)
	case strings.ContainsAny(token, " \t\r\n"):
		return "", fmt.Errorf("read the token: %s holds more than one word", path)
	}
	return token, nil
}
