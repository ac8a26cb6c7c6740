package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// standIn is an API server as far as the process's life needs one: it has one
// Gateway and one Certificate that wants a listener there, and can hold up
// requests. What Gateways become is tested on real ones.
type standIn struct {
	url  string
	asks atomic.Int32
	// arrived gets a word when a request is held up, until letGo is called.
	arrived chan struct{}
	letGo   func()
}

const (
	standInGateway = `{"apiVersion":"gateway.networking.k8s.io/v1","kind":"Gateway","metadata":{"namespace":"default","name":"gw","uid":"g","resourceVersion":"5","generation":1},
		"spec":{"gatewayClassName":"c","listeners":[{"name":"http","port":80,"protocol":"HTTP"}]}}`
	standInCertificate = `{"apiVersion":"cert-manager.io/v1","kind":"Certificate","metadata":{"namespace":"default","name":"my-cert","uid":"c","resourceVersion":"6",
		"labels":{"gateway-cert-operator.io/gateway-name":"gw"}},"spec":{"secretName":"tls","dnsNames":["app.example.com"],"issuerRef":{"name":"i"}}}`
)

// newStandIn holds up requests of that method whose path ends so.
func newStandIn(t *testing.T, method, suffix string) *standIn {
	t.Helper()
	release := make(chan struct{})
	s := &standIn{arrived: make(chan struct{}, 100), letGo: sync.OnceFunc(func() { close(release) })}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asks.Add(1)
		if r.Method == method && strings.HasSuffix(r.URL.Path, suffix) {
			s.arrived <- struct{}{}
			<-release
		}
		w.Header().Set("Content-Type", "application/json")
		if strings.Contains(r.URL.Path, "/configmaps/") || r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/events/") {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = io.WriteString(w, s.answer(r))
	}))
	t.Cleanup(func() { s.letGo(); server.Close() })
	s.url = server.URL
	return s
}

func (s *standIn) answer(r *http.Request) string {
	list := func(apiVersion, kind, item string) string {
		if strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadataList") {
			apiVersion, kind = "meta.k8s.io/v1", "PartialObjectMetadataList"
		}
		return `{"apiVersion":"` + apiVersion + `","kind":"` + kind + `","metadata":{"resourceVersion":"10"},"items":[` + item + `]}`
	}
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, "/gateways/gw"):
		return standInGateway
	case strings.HasSuffix(path, "/gateways"):
		return list("gateway.networking.k8s.io/v1", "GatewayList", "")
	case strings.HasSuffix(path, "/certificates"):
		return list("cert-manager.io/v1", "CertificateList", standInCertificate)
	case strings.HasSuffix(path, "/referencegrants"):
		return list("gateway.networking.k8s.io/v1", "ReferenceGrantList", "")
	case strings.Contains(path, "/configmaps/"), r.Method == http.MethodGet && strings.Contains(path, "/events/"):
		return `{"apiVersion":"v1","kind":"Status","status":"Failure","reason":"NotFound","code":404}`
	case path == "/version":
		return `{"gitVersion":"v1.36.0"}`
	default:
		return `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"default"}}`
	}
}

// kubeconfig writes one for an API server.
func kubeconfig(t *testing.T, server string) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": "c",
		"clusters": []any{map[string]any{"name": "c", "cluster": map[string]any{"server": server}}},
		"users":    []any{map[string]any{"name": "c", "user": map[string]any{}}},
		"contexts": []any{map[string]any{"name": "c", "context": map[string]any{"cluster": "c", "user": "c"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
