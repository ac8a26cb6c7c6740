package handler

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// bearerToken returns the token of the Authorization header, which must stand
// there once and be of the form of RFC 6750. No error holds the token.
func bearerToken(header http.Header) (string, error) {
	values := header.Values("Authorization")
	switch {
	case len(values) == 0:
		return "", errors.New("there is no Authorization header")
	case len(values) > 1:
		return "", errors.New("there are several Authorization headers")
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", errors.New("the Authorization header is not of the scheme Bearer")
	}
	token = strings.Trim(token, " ")
	switch {
	case len(token) > maxTokenBytes:
		return "", fmt.Errorf("the token is over %d bytes", maxTokenBytes)
	case !wellFormed(token):
		return "", errors.New("the Authorization header holds no token")
	}
	return token, nil
}

// wellFormed tells whether a token is a b64token of RFC 6750, as any JWT is.
func wellFormed(token string) bool {
	body := strings.TrimRight(token, "=")
	outside := func(r rune) bool {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			return false
		}
		return !strings.ContainsRune("-._~+/", r)
	}
	return body != "" && !strings.ContainsFunc(body, outside)
}
