package telemetry

import (
	"errors"
	"net/url"
	"strconv"
	"strings"
)

// defaultEndpoint is the SDK's, for a signal whose exporter is named without one.
const defaultEndpoint = "https://localhost:4318"

// endpoint returns the variable that says where the signal goes, with what it
// says; the default's is the general one, which is where another can be said.
func (env environment) endpoint(s signal) (variable, endpoint string) {
	if variable, endpoint = env.otlp(s, "ENDPOINT"); endpoint == "" {
		return variable, defaultEndpoint
	}
	return variable, endpoint
}

// isPlain reports whether an endpoint is without TLS.
func isPlain(endpoint string) bool {
	scheme, _, _ := strings.Cut(endpoint, ":")
	return strings.EqualFold(scheme, "http")
}

// collectorURL takes no part of a URL that the exporters would not use, and none
// that the client, which parses it as well, would not.
func collectorURL(value string) error {
	u, err := url.Parse(value)
	switch {
	case err != nil, u.Hostname() == "", u.Scheme != "http" && u.Scheme != "https":
		return errors.New("must be a URL such as http://otel-collector.observability.svc:4318")
	case u.User != nil, strings.ContainsAny(value, "?#"):
		return errors.New("must be a URL without user, query and fragment: credentials go into OTEL_EXPORTER_OTLP_HEADERS")
	case u.Port() != "" && !isPort(u.Port()), strings.HasSuffix(u.Host, ":"):
		return errors.New("must be a URL with a port from 1 to 65535, or with none")
	case len(u.Hostname()) > maxHostname:
		return errors.New("must be a URL with a host name of at most 253 bytes, the longest that DNS knows")
	}
	return nil
}

func isPort(text string) bool {
	n, err := strconv.ParseUint(text, 10, 16)
	return err == nil && n > 0
}
