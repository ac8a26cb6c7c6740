package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

// witness stands between one handler and the API server and keeps what the
// handler was told about Gateways, and when a patch of one was not applied.
//
// A patch's guard that has failed is a status write's fault if the spec was
// still the one that the patch was made for. That is told by what comes next: a
// handler works on a Gateway in one run at a time and reads it anew after such a
// patch, so the answers about one Gateway are in the order of events, and the
// generation, which only rises, is in the next GET either that which the patch
// tested for, and then no change of the spec can have made it fail, or a later
// one. In the latter case another handler's write may have come between the two
// answers, which are milliseconds apart; where one handler is alone with the
// status writer there is no such doubt, and there every patch has to be applied.
type witness struct {
	server *httptest.Server

	mu        sync.Mutex
	patches   int
	pending   map[string]int64 // Gateway → the generation that its failed patch tested for
	failed    []failedPatch
	unapplied []string // every answer to a patch that was not 200, in words
}

// failedPatch is a patch that was not applied, and the generation read next.
type failedPatch struct {
	gateway      string
	tested, next int64
}

func (f failedPatch) byStatus() bool { return f.tested == f.next }

// startWatched starts a handler that a witness looks at.
func startWatched(t *testing.T) (*stack.Handler, *witness) {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", system.HandlerKubeconfig())
	must(t, err)
	w := &witness{pending: map[string]int64{}}
	w.server = httptest.NewServer(w.proxy(t, config))
	t.Cleanup(w.server.Close)

	file, err := clientcmd.LoadFromFile(system.HandlerKubeconfig())
	must(t, err)
	for _, cluster := range file.Clusters {
		cluster.Server, cluster.CertificateAuthorityData = w.server.URL, nil
	}
	path := filepath.Join(t.TempDir(), "kubeconfig")
	must(t, clientcmd.WriteToFile(*file, path))
	handler, err := system.StartReplica(system.ctx, stack.HandlerOptions{Env: []string{"KUBECONFIG=" + path}})
	must(t, err)
	t.Cleanup(func() {
		must(t, handler.Stop(patience))
		if code, err := handler.Wait(context.Background()); err != nil || code != 0 {
			t.Errorf("a handler left with exit code %d (%v), want 0; with the race detector 66 is a race", code, err)
		}
	})
	return handler, w
}

type bodyKey struct{}

func (w *witness) proxy(t *testing.T, config *rest.Config) http.Handler {
	t.Helper()
	target, err := url.Parse(config.Host)
	must(t, err)
	transport, err := rest.TransportFor(config) // with the token, which no client sends without TLS
	must(t, err)
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Header.Del("Accept-Encoding") // the transport's own is taken off again
		},
		Transport:      transport,
		ModifyResponse: w.see,
		ErrorHandler: func(rw http.ResponseWriter, _ *http.Request, _ error) {
			rw.WriteHeader(http.StatusBadGateway) // also where the handler has gone away
		},
	}
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			rw.WriteHeader(http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(rw, r.WithContext(context.WithValue(r.Context(), bodyKey{}, body)))
	})
}

// see takes note of an answer about one Gateway.
func (w *witness) see(response *http.Response) error {
	_, gateway, ok := strings.Cut(response.Request.URL.Path, "/gateways/")
	if !ok {
		return nil
	}
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	response.Body = io.NopCloser(bytes.NewReader(answer))
	w.mu.Lock()
	defer w.mu.Unlock()
	switch response.Request.Method {
	case http.MethodPatch:
		w.patches++
		if response.StatusCode == http.StatusOK {
			return nil
		}
		tested, err := testedGeneration(response.Request)
		if err != nil {
			return err
		}
		w.pending[gateway] = tested
		w.unapplied = append(w.unapplied, fmt.Sprintf("%s: %d %s", gateway, response.StatusCode, answer))
	case http.MethodGet:
		tested, ok := w.pending[gateway]
		if !ok || response.StatusCode != http.StatusOK {
			return nil
		}
		delete(w.pending, gateway)
		var object struct{ Metadata struct{ Generation int64 } }
		if err := json.Unmarshal(answer, &object); err != nil {
			return err
		}
		w.failed = append(w.failed, failedPatch{gateway, tested, object.Metadata.Generation})
	}
	return nil
}

func testedGeneration(patch *http.Request) (int64, error) {
	body, _ := patch.Context().Value(bodyKey{}).([]byte)
	var steps []struct {
		Op, Path string
		Value    json.RawMessage
	}
	if err := json.Unmarshal(body, &steps); err != nil {
		return 0, fmt.Errorf("read a patch: %w", err)
	}
	for _, step := range steps {
		if step.Op == "test" && step.Path == "/metadata/generation" {
			var generation int64
			err := json.Unmarshal(step.Value, &generation)
			return generation, err
		}
	}
	return 0, fmt.Errorf("a patch does not test the generation: %s", body)
}

// count returns how many patches were sent, how many were not applied, and how
// many of these were a status write's fault.
func (w *witness) count(t *testing.T) (patches, failed, byStatus int) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range w.failed {
		if f.byStatus() {
			byStatus++
			t.Errorf("a patch of Gateway %s that tested for generation %d failed, and the generation still is %d", f.gateway, f.tested, f.next)
		}
	}
	for gateway := range w.pending {
		t.Errorf("a patch of Gateway %s failed and nobody looked why", gateway)
	}
	return w.patches, len(w.unapplied), byStatus
}
