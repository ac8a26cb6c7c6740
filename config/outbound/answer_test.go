package outbound_test

import (
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/iotest"
)

// canary stands for what a server should not be able to put into our logs.
const canary = "c4nary"

func expectNoCanary(t *testing.T, err error) {
	t.Helper()
	if kind(err) == "another" {
		t.Errorf("error of another kind: %v", err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v"} {
		if text := fmt.Sprintf(verb, err); strings.Contains(text, canary) {
			t.Errorf("the error repeats what the server wrote: %s", text)
		}
	}
	if len(err.Error()) > 500 || strings.ContainsAny(err.Error(), "\r\n") {
		t.Errorf("the error is not one line: %q", err)
	}
}

func TestAnAnswerThatIsNoTokenIsAnErrorThatDoesNotRepeatIt(t *testing.T) {
	for _, tc := range []struct {
		name       string
		status     int
		body       string
		kind, text string
	}{
		{"not JSON", 200, canary, "remote", "the answer of idp.example holds no token"},
		{"no access token", 200, `{"refresh_token": "` + canary + `"}`, "remote", "holds no token"},
		{"a strange expiry", 200, `{"access_token": "` + canary + `", "expires_in": "` + canary + `"}`, "remote", "holds no token"},
		{"a type that is not known", 200, `{"access_token": "` + canary + `", "token_type": "mac"}`, "remote", "what idp.example issued is no bearer token"},
		{"a token with a line end", 200, `{"access_token": "` + canary + `\r\nX: y", "token_type": "Bearer"}`, "remote", "is no bearer token"},
		{"an error with 200", 200, `{"error": "invalid_scope", "error_description": "` + canary + `"}`, "remote", "answers 200 OK, invalid_scope"},
		{"a description", 400, `{"error": "invalid_request", "error_description": "` + canary + `", "error_uri": "` + canary + `"}`, "remote", "answers 400 Bad Request, invalid_request"},
		{"a code that is not known", 400, `{"error": "` + canary + `"}`, "remote", "answers 400 Bad Request"},
		{"a page", 502, "<html>" + canary, "transient", "answers 502 Bad Gateway"},
		{"an endless page", 502, strings.Repeat(canary, 256<<10), "remote", "is larger than 256 KiB"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := &cast{token: always(tc.status, tc.body)}
			_, err := c.factory(t).Acquire(t.Context(), owner, passwordConfig())
			expectError(t, err, tc.kind, "get a token: ")
			expectError(t, err, tc.kind, tc.text)
			expectNoCanary(t, err)
		})
	}
}

func TestAnAnswerThatBreaksOffIsTransient(t *testing.T) {
	c := &cast{token: func(*http.Request, url.Values) (*http.Response, error) {
		response := answer(http.StatusOK, "")
		response.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{"access_token": "`+canary), iotest.ErrReader(fs.ErrClosed)))
		return response, nil
	}}
	_, err := c.factory(t).Acquire(t.Context(), owner, passwordConfig())
	expectError(t, err, "transient", "the connection to idp.example broke off")
	expectNoCanary(t, err)
}

// endless is a body that never ends, and knows how much of it was read.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) { e.read += len(p); return len(p), nil }
func (*endless) Close() error                 { return nil }

func TestAnAnswerIsNotReadPastItsLimit(t *testing.T) {
	body := &endless{}
	c := &cast{token: func(*http.Request, url.Values) (*http.Response, error) {
		response := answer(http.StatusOK, "")
		response.Body = body
		return response, nil
	}}
	_, err := c.factory(t).Acquire(t.Context(), owner, passwordConfig())
	expectError(t, err, "remote", "the answer of idp.example is larger than 256 KiB")
	if body.read > 512<<10 {
		t.Errorf("%d bytes were read", body.read)
	}
}

func FuzzTokenAnswer(f *testing.F) {
	f.Add(200, "application/json", `{"access_token": "`+canary+`", "token_type": "Bearer", "expires_in": 3600}`)
	f.Add(200, "application/json", `{"access_token": "`+canary+`", "expires_in": "`+canary+`"}`)
	f.Add(200, "application/x-www-form-urlencoded", "access_token="+canary+"&token_type="+canary)
	f.Add(400, "text/plain", "error="+canary+"%zz")
	f.Add(500, "text/html", canary)
	f.Fuzz(func(t *testing.T, status int, contentType, body string) {
		c := &cast{token: func(*http.Request, url.Values) (*http.Response, error) {
			response := answer(status, body)
			response.Header.Set("Content-Type", contentType)
			return response, nil
		}}
		lease, err := c.factory(t).Acquire(t.Context(), owner, passwordConfig())
		if err != nil {
			expectNoCanary(t, err)
			return
		}
		defer lease.Release()
		// The token may have expired already; that shows at the next grant.
		if _, err := get(t, lease.Client(), apiURL); err != nil {
			expectNoCanary(t, err)
		} else if c.tokensShown() == "" {
			t.Error("an empty token was taken")
		}
	})
}
