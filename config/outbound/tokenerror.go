package outbound

import (
	"errors"
	"net/http"
	"slices"
	"strconv"

	"golang.org/x/oauth2"
)

const getToken = "get a token"

// tokenError makes an error of x/oauth2 ours, without its text: that holds the
// body of the answer.
func tokenError(host string, err error) error {
	if answered, ok := errors.AsType[*oauth2.RetrieveError](err); ok {
		return during(getToken, statusError(host, answered.Response.StatusCode, codeText(answered.ErrorCode)))
	}
	if mine := own(err); mine != nil {
		return during(getToken, mine)
	}
	return during(getToken, remoteErrorf("the answer of %s holds no token", host))
}

// errorCodes are those that a token endpoint may answer with: RFC 6749, section
// 5.2, RFC 8707, section 2, and of section 4.1.2.1 of the former those that
// servers use there too. Others are not repeated: a server may have put anything
// there.
var errorCodes = []string{
	"invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type", "invalid_scope",
	"invalid_target",
	"access_denied", "server_error", "temporarily_unavailable",
}

func codeText(code string) string {
	if slices.Contains(errorCodes, code) {
		return ", " + code
	}
	return ""
}

func statusText(status int) string {
	if text := http.StatusText(status); text != "" {
		return strconv.Itoa(status) + " " + text
	}
	return strconv.Itoa(status)
}
