package outcomes_test

import (
	"strings"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/handler/outcomes"
)

func TestASinkIsAnHTTPURLWithAHost(t *testing.T) {
	for _, text := range []string{
		"http://broker-ingress.knative-eventing.svc.cluster.local/infra/default", "https://sink.example.com:8443/?a=b", "http://[::1]:8080",
	} {
		if sink, err := outcomes.ParseSink(text); err != nil || sink.String() != text {
			t.Errorf("%s is read as %v, %v", text, sink, err)
		}
	}
}

func TestASinkThatIsNoneIsOneLineThatNamesTheVariableAndNotTheURL(t *testing.T) {
	for name, text := range map[string]string{
		"no scheme":           "s3cret.example.com",
		"another scheme":      "ftp://s3cret",
		"no host":             "http:///s3cret",
		"a port alone":        "http://:80/s3cret",
		"no URL":              "http://s3cret:port",
		"a control character": "http://s3cret\n",
		"a password":          "https://user:s3cret@example.com",
		"a space":             " ",
	} {
		_, err := outcomes.ParseSink(text)
		if err == nil {
			t.Errorf("%s: accepted", name)
			continue
		}
		if said := err.Error(); !strings.Contains(said, "K_SINK") || strings.Contains(said, "s3cret") || strings.Contains(said, "\n") {
			t.Errorf("%s: %q, want one line that names K_SINK and nothing of the URL", name, said)
		}
	}
}
