package outbound

import (
	"errors"
	"net/http"
	"net/url"
	"testing"
)

func TestTLSIsNeededByHTTPSAndByProxiesThatSpeakIt(t *testing.T) {
	through := func(proxy string) func(*http.Request) (*url.URL, error) {
		return func(*http.Request) (*url.URL, error) { return url.Parse(proxy) }
	}
	broken := func(*http.Request) (*url.URL, error) { return nil, errors.New("no URL") }
	plain, secure := origin{"http", "a.example", "80"}, origin{"https", "a.example", "443"}
	for _, tc := range []struct {
		name    string
		origins []origin
		proxy   func(*http.Request) (*url.URL, error)
		want    bool
	}{
		{"http", []origin{plain}, http.ProxyURL(nil), false},
		{"https", []origin{secure}, http.ProxyURL(nil), true},
		{"both", []origin{plain, secure}, http.ProxyURL(nil), true},
		{"http through a proxy", []origin{plain}, through("http://proxy.example"), false},
		{"http through a proxy with TLS", []origin{plain}, through("https://proxy.example"), true},
		{"a proxy that is no URL", []origin{plain}, broken, true},
	} {
		if got := needsTLS(tc.origins, tc.proxy); got != tc.want {
			t.Errorf("%s: needsTLS = %v, want %v", tc.name, got, tc.want)
		}
	}
}
