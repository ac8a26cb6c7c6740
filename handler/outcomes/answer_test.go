package outcomes

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestWhatAnAnswerMeans(t *testing.T) {
	for status, want := range map[int]struct {
		result result
		again  bool
	}{
		0:   {dropped, true},
		200: {delivered, false}, 202: {delivered, false}, 204: {delivered, false}, 299: {delivered, false},
		301: {refused, false}, 304: {refused, false}, 308: {refused, false},
		400: {refused, false}, 401: {refused, false}, 403: {refused, false}, 405: {refused, false},
		409: {refused, false}, 410: {refused, false}, 413: {refused, false}, 415: {refused, false},
		404: {dropped, true}, 408: {dropped, true}, 425: {dropped, true}, 429: {dropped, true},
		500: {dropped, true}, 502: {dropped, true}, 503: {dropped, true}, 504: {dropped, true}, 599: {dropped, true},
	} {
		if got, again := (answer{status: status}).result(); got != want.result || again != want.again {
			t.Errorf("%d is %s, again: %v; want %s, %v", status, got, again, want.result, want.again)
		}
	}
}

func TestWhatCannotBeSentIsNotTriedAgain(t *testing.T) {
	if got, again := (answer{err: errors.New("no"), unsendable: true}).result(); got != dropped || again {
		t.Errorf("it is %s, again: %v", got, again)
	}
}

func TestRetryAfterIsReadAndBounded(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"":                      0,
		"soon":                  0,
		"-5":                    0,
		"0":                     0,
		"3":                     3 * time.Second,
		"100000":                20 * time.Second,
		"9223372036854775807":   20 * time.Second,
		"99999999999999999999":  0, // no number of ours, and none that can be meant
		httpTime(now, 2):        2 * time.Second,
		httpTime(now, -2):       0,
		httpTime(now, 24*60*60): 20 * time.Second,
	} {
		if got := retryAfter(http.Header{"Retry-After": {text}}, now); got != want {
			t.Errorf("Retry-After: %s is %s, want %s", text, got, want)
		}
	}
}

func httpTime(now time.Time, seconds int) string {
	return now.Add(time.Duration(seconds) * time.Second).Format(http.TimeFormat)
}

func TestAFailureOfTheClientDoesNotNameTheURL(t *testing.T) {
	err := failed(&url.Error{Op: "Post", URL: "http://sink/?token=s3cret", Err: errors.New("connection refused")}).why()
	if text := err.Error(); strings.Contains(text, "s3cret") || !strings.Contains(text, "connection refused") {
		t.Errorf("it says %q", text)
	}
}
