package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/config/live"
	"gateway-cert-operator.io/gateway-cert-handler/config/telemetry"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// contestant is a handler of its own, with a Gateway and a Certificate of its
// own, and how long its events took.
type contestant struct {
	url         string // of the handler's server
	user        *namespace.Namespace
	certificate *certmanagerv1.Certificate
	took        []time.Duration
}

// newContestant exports to the collector; without one, nothing.
func newContestant(b *testing.B, apiServer *rest.Config, collector string) *contestant {
	b.Helper()
	b.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector)
	logger := slog.New(slog.NewJSONHandler(io.Discard, nil))
	p := &process{logger: logger}
	var err error
	p.settings, err = live.Open(b.Context(), live.Options[parts]{Load: withoutPause, Build: build})
	namespace.Must(b, err)
	out := newOutgoing(b.Context(), p.settings.InForce, logger)
	b.Cleanup(out.close)
	p.signals, err = telemetry.Start(b.Context(), telemetry.Options{Version: "v1", Logger: logger, Client: out.forTelemetry})
	namespace.Must(b, err)
	api, err := cluster.New(apiServer, p.signals.Traces)
	namespace.Must(b, err)
	p.logger = slog.New(p.signals.LogHandler(logger.Handler()))
	p.out = out
	p.sender, err = p.outcomeSender()
	namespace.Must(b, err)
	b.Cleanup(func() { p.sender.Close(context.Background()) })
	server := httptest.NewServer(p.signals.FlushWhenIdle(p.handler(api, p.reconciler(api))))
	b.Cleanup(server.Close)
	c := &contestant{url: server.URL, user: namespace.New(b, apiServer)}
	c.user.CreateGateway("edge", nil)
	c.certificate = c.user.CreateCertificate("app", "edge", "app.example.com")
	return c
}

// withoutPause are settings by which each change is patched at once.
func withoutPause() (config.HandlerConfig, error) {
	return config.HandlerConfig{Delivery: config.Delivery{MaxGatherPause: new("0s")}}, nil
}

// change gives the Certificate another Secret, so that its listener has to be
// patched.
func (c *contestant) change(b *testing.B, i int) {
	b.Helper()
	c.certificate.Spec.SecretName = fmt.Sprintf("secret-%d", i)
	var err error
	c.certificate, err = c.user.Certificates.Update(b.Context(), c.certificate, metav1.UpdateOptions{})
	namespace.Must(b, err)
}

// handle sends the event of the Certificate as it is now, and waits as its source
// does: over a connection that is kept.
func (c *contestant) handle(b *testing.B) {
	b.Helper()
	body, err := json.Marshal(c.certificate)
	namespace.Must(b, err)
	request, err := http.NewRequestWithContext(b.Context(), http.MethodPost, c.url, bytes.NewReader(body))
	namespace.Must(b, err)
	request.Header.Set("Content-Type", "application/json")
	for name, value := range map[string]string{
		"Id": "1", "Specversion": "1.0", "Source": "/benchmark", "Type": "dev.knative.apiserver.resource.update",
		"Kind": "Certificate", "Apiversion": "cert-manager.io/v1", "Name": c.certificate.Name, "Namespace": c.certificate.Namespace,
	} {
		request.Header.Set("Ce-"+name, value)
	}
	began := time.Now()
	response, err := http.DefaultClient.Do(request)
	c.took = append(c.took, time.Since(began))
	namespace.Must(b, err)
	_ = response.Body.Close()
	if response.StatusCode != http.StatusNoContent {
		b.Fatalf("the event is answered %d, want 204", response.StatusCode)
	}
}

func (c *contestant) percentile(p float64) float64 {
	sorted := slices.Sorted(slices.Values(c.took))
	return float64(sorted[min(int(p/100*float64(len(sorted))), len(sorted)-1)])
}

// BenchmarkEventWithAHangingCollectorBesideNone handles events on the real API
// server by a handler whose collector takes all signals and never answers, and by
// one that exports nothing, in turn. The ratios are of the former to the latter;
// ns/op is of both, with the change of the Certificate. Within the first seconds
// the queue of spans is full.
func BenchmarkEventWithAHangingCollectorBesideNone(b *testing.B) {
	assets, err := controlplane.Locate()
	namespace.Must(b, err)
	plane, err := controlplane.Start(b.Context(), controlplane.Options{Assets: assets})
	namespace.Must(b, err)
	b.Cleanup(func() { namespace.Must(b, plane.Stop()) })
	release := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	b.Cleanup(func() { close(release); hanging.Close() })

	contest := []*contestant{newContestant(b, plane.Config(), hanging.URL), newContestant(b, plane.Config(), "")}
	for _, bc := range []struct {
		name    string
		prepare func(c *contestant, i int)
	}{
		{"patched", func(c *contestant, i int) { c.change(b, i) }},
		{"covered", func(*contestant, int) {}},
	} {
		b.Run(bc.name, func(b *testing.B) {
			for _, c := range contest {
				c.handle(b)
				c.took = nil
			}
			for i := 0; b.Loop(); i++ {
				for turn := range contest { // whoever comes second finds warmer caches
					c := contest[(i+turn)%len(contest)]
					bc.prepare(c, i)
					c.handle(b)
				}
			}
			with, without := contest[0], contest[1]
			b.ReportMetric(with.percentile(50)/without.percentile(50), "p50-ratio")
			b.ReportMetric(with.percentile(99)/without.percentile(99), "p99-ratio")
			b.ReportMetric(without.percentile(50)/1e3, "µs-p50-without")
			b.ReportMetric(without.percentile(99)/1e3, "µs-p99-without")
		})
	}
}
