package outbound

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestNetworkErrorsAreToldInOurOwnWords(t *testing.T) {
	for _, tc := range []struct {
		name   string
		err    error
		text   string
		remote bool
	}{
		{"refused", &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}, "the connection to h failed: connection refused", false},
		{"unknown name", &net.OpError{Op: "dial", Err: &net.DNSError{Name: "proxy.example", IsNotFound: true}}, "the name proxy.example cannot be resolved", false},
		{"slow lookup", &net.DNSError{Name: "h", IsTimeout: true}, "no answer in time", false},
		{"deadline", fmt.Errorf("x: %w", context.DeadlineExceeded), "no answer in time", false},
		{"socket deadline", os.ErrDeadlineExceeded, "no answer in time", false},
		{"cancelled", fmt.Errorf("x: %w", context.Canceled), "given up, as its context ended", false},
		{"alert", &net.OpError{Op: "remote error", Err: errors.New("tls: unknown certificate authority")}, "h refuses the TLS handshake: tls: unknown certificate authority", true},
		{"no TLS", tls.RecordHeaderError{Msg: "secret"}, "h does not speak TLS", true},
		{"quoting", errors.New(`malformed HTTP response "secret"`), "the connection to h broke off, or the answer is not HTTP", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := exchangeError(t.Context(), "h", tc.err)
			_, remote := errors.AsType[*RemoteError](err)
			if !strings.Contains(err.Error(), tc.text) || remote != tc.remote {
				t.Errorf("error = %v, remote = %v; want %q, %v", err, remote, tc.text, tc.remote)
			}
			if text := fmt.Sprintf("%v %#v", err, errors.Unwrap(err)); strings.Contains(text, "secret") {
				t.Errorf("the error repeats what it was told: %s", text)
			}
		})
	}
}

func TestOurErrorsGoThroughAsTheyAre(t *testing.T) {
	for _, mine := range []error{configErrorf("a"), transientErrorf("b"), remoteErrorf("c")} {
		if got := exchangeError(t.Context(), "h", fmt.Errorf("around: %w", mine)); got != mine {
			t.Errorf("%v became %v", mine, got)
		}
	}
}

func TestAnActionIsPutBeforeAMessageOfTheSameKind(t *testing.T) {
	cause := errors.New("cause")
	for _, e := range []error{
		&ConfigError{failure{"message", cause}},
		&TransientError{failure{"message", cause}},
		&RemoteError{failure{"message", cause}, 400},
	} {
		got := during("action", e)
		if fmt.Sprintf("%T", got) != fmt.Sprintf("%T", e) || got.Error() != "action: message" || !errors.Is(got, cause) {
			t.Errorf("during(%T) = %T %v", e, got, got)
		}
	}
	if remote := during("action", &RemoteError{StatusCode: 400}).(*RemoteError); remote.StatusCode != 400 {
		t.Error("the status is lost")
	}
}

func TestAProxyThatIsNoURLIsNotRepeated(t *testing.T) {
	proxy := quiet(func(*http.Request) (*url.URL, error) { return nil, errors.New("http://me:secret@proxy is no URL") })
	_, err := proxy(nil)
	if _, ok := errors.AsType[*ConfigError](err); !ok || strings.Contains(err.Error(), "secret") {
		t.Errorf("error = %v, want a ConfigError without the password", err)
	}
	want := &url.URL{Host: "proxy"}
	if got, err := quiet(func(*http.Request) (*url.URL, error) { return want, nil })(nil); got != want || err != nil {
		t.Errorf("proxy = %v, %v", got, err)
	}
}

func TestTheTransportVerifiesAndIsBounded(t *testing.T) {
	for _, minTLS12 := range []bool{false, true} {
		base, err := newBase(t.Context(), func() (*x509.CertPool, error) { return x509.NewCertPool(), nil }, spec{profile: Profile{MinTLS12: minTLS12, MaxIdleConnsPerHost: 7}})
		if err != nil {
			t.Fatal(err)
		}
		want := map[bool]uint16{false: tls.VersionTLS13, true: tls.VersionTLS12}[minTLS12]
		settings := base.TLSClientConfig
		if settings.InsecureSkipVerify || settings.MinVersion != want || settings.RootCAs == nil || settings.ServerName != "" {
			t.Errorf("TLS settings = %+v", settings)
		}
		if base.TLSHandshakeTimeout == 0 || base.IdleConnTimeout == 0 || base.MaxResponseHeaderBytes == 0 || base.MaxIdleConnsPerHost != 7 || base.MaxIdleConns == 0 {
			t.Errorf("a limit is missing: %+v", base)
		}
	}
}
