package deliver_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/deliver"
)

func TestWhereATokenMayGo(t *testing.T) {
	for address, says := range map[string]string{
		"http://localhost:8080":                                       "",
		"http://127.0.0.1:8080":                                       "",
		"http://[::1]:8080":                                           "",
		"http://gateway-cert-handler.gateway-cert.svc":                "",
		"http://gateway-cert-handler.gateway-cert.svc.cluster.local/": "",
		"https://handler.example.com":                                 "",
		"http://handler.example.com":                                  "use https",
		"http://localhost.example.com":                                "use https",
		"http://x.svc.example.com":                                    "use https",
		"http://10.0.0.1":                                             "use https",
		"localhost:8080":                                              "no URL",
		"ftp://localhost":                                             "no URL",
		"http://":                                                     "no URL",
		"http://me:pa55@localhost":                                    "no user or password",
		"http://local host":                                           "no URL",
	} {
		_, err := deliver.NewTarget(address, "t0ken")
		if (err == nil) != (says == "") || err != nil && (!strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "t0ken") || strings.Contains(err.Error(), "pa55")) {
			t.Errorf("%s: %v, want that it says %q", address, err, says)
		}
	}
	if _, err := deliver.NewTarget("http://handler.example.com", ""); err != nil {
		t.Errorf("without a token: %v", err)
	}
}

func TestATokenIsReadFromItsFile(t *testing.T) {
	for content, says := range map[string]string{
		"t0ken\n":                     "",
		"":                            "is empty",
		" \n":                         "is empty",
		"t0ken t0ken":                 "more than one word",
		"t0ken\nX-Header: y":          "more than one word",
		strings.Repeat("t0ken", 5000): "more than 8192 bytes",
	} {
		path := filepath.Join(t.TempDir(), "token")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		token, err := deliver.ReadToken(path)
		if says == "" && (err != nil || token != "t0ken") || says != "" && (err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "t0ken")) {
			t.Errorf("of %.20q the token is %.20q, %v; want that it says %q", content, token, err, says)
		}
	}
}
