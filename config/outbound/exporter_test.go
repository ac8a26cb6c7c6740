package outbound_test

import (
	"io"
	"net/http"
	"sync"
	"testing"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// The real exporter, over TLS of a private CA and with OAuth. The collector takes
// the first token once and refuses it then.
func TestAnOTLPExporterSendsThroughIt(t *testing.T) {
	private, seen := newAuthority(t, "private"), newConnections()
	var mu sync.Mutex
	var bodies [][]byte
	believe := realm(t)
	server := private.serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/traces" {
			believe(w, r)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		if bodies = append(bodies, body); len(bodies) == 2 {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		believe(w, r)
	}, seen.watch)
	config := credentialsConfig()
	config.Endpoints, config.Auth.TokenURL, config.Trust = []string{server.URL + "/v1/traces"}, server.URL+"/token", trusting(private)
	factory := newFactory(t, nil)
	exporter, err := otlptracehttp.New(t.Context(),
		otlptracehttp.WithEndpointURL(server.URL+"/v1/traces"),
		otlptracehttp.WithCompression(otlptracehttp.GzipCompression),
		otlptracehttp.WithHTTPClient(lasting(factory, given(config))))
	if err != nil {
		t.Fatal(err)
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))
	for _, name := range []string{"first", "second"} {
		_, span := provider.Tracer("test").Start(t.Context(), name)
		span.End()
	}
	if err := provider.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if len(bodies) != 3 || len(bodies[1]) == 0 || string(bodies[1]) != string(bodies[2]) {
		t.Errorf("the collector got %q, want the second batch twice", bodies)
	}
	factory.Close() // which closes what is not borrowed: no lease is left
	seen.expectNone(t)
}
