package outbound

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
)

// discover asks the issuer for its token endpoint, as OpenID Connect Discovery
// 1.0, section 4, has it. It shows no credentials: what it reads tells where
// these may go.
func discover(ctx context.Context, s spec, exchange http.RoundTripper) (string, error) {
	issuer, err := parseHTTPS("the issuer", s.auth.Issuer)
	if err != nil {
		return "", err
	}
	metadata, err := readMetadata(ctx, identityClient(s, issuer, exchange), issuer)
	if err != nil {
		return "", during("discover the token endpoint", err)
	}
	switch {
	case metadata.Issuer != s.auth.Issuer:
		return "", remoteErrorf("%s names another issuer in its metadata than %s: they must be the same to the letter", issuer.Host, s.auth.Issuer)
	case metadata.TokenEndpoint == "":
		return "", remoteErrorf("%s names no token endpoint in its metadata", issuer.Host)
	}
	if _, err := parseHTTPS("", metadata.TokenEndpoint); err != nil {
		return "", remoteErrorf("the token endpoint that %s names in its metadata is not a plain https URL", issuer.Host)
	}
	return metadata.TokenEndpoint, nil
}

// issuerMetadata are the fields of OpenID Connect Discovery 1.0, section 3, that
// are needed.
type issuerMetadata struct {
	Issuer        string `json:"issuer"`
	TokenEndpoint string `json:"token_endpoint"`
}

func readMetadata(ctx context.Context, client *http.Client, issuer *url.URL) (issuerMetadata, error) {
	where := *issuer
	where.Path, where.RawPath = strings.TrimSuffix(issuer.Path, "/")+"/.well-known/openid-configuration", ""
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, where.String(), nil)
	if err != nil {
		return issuerMetadata{}, configErrorf("the issuer is not a URL")
	}
	response, err := client.Do(r)
	if err != nil {
		return issuerMetadata{}, exchangeError(ctx, issuer.Host, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return issuerMetadata{}, statusError(issuer.Host, response.StatusCode, "")
	}
	var metadata issuerMetadata
	if err := json.NewDecoder(response.Body).Decode(&metadata); err != nil {
		return issuerMetadata{}, remoteErrorf("the answer of %s is no metadata of an issuer", issuer.Host)
	}
	return metadata, nil
}
