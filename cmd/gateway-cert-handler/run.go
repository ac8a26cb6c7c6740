package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/config/telemetry"
	"gateway-cert-operator.io/gateway-cert-handler/handler"
	"gateway-cert-operator.io/gateway-cert-handler/handler/authn"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
)

// flushTimeout bounds sending the last spans. With the handler's drain timeout
// (50 s) and the last outcomes (4 s) it stays within the 60 s that the pod has to
// stop.
const flushTimeout = 5 * time.Second

// run wires the parts, serves until ctx ends and sends the last spans.
// settingsFile may be empty.
func run(ctx context.Context, logger *slog.Logger, settingsFile string) error {
	logThrough(logger)
	settings, err := loadSettings(settingsFile)
	if err != nil {
		return err
	}
	traces, err := telemetry.Start(ctx, version())
	if err != nil {
		return fmt.Errorf("set up telemetry: %w", err)
	}
	defer flush(ctx, traces, logger)

	sender, err := outcomeSender(settings.Outcomes, traces, logger)
	if err != nil {
		return fmt.Errorf("set up the delivery of outcomes: %w", err)
	}
	defer closeSender(ctx, sender)

	access, err := clusterConfig()
	if err != nil {
		return err
	}
	apiServer, err := cluster.New(access, traces)
	if err != nil {
		return fmt.Errorf("set up the API server's client: %w", err)
	}
	listener, err := listen(ctx)
	if err != nil {
		return err
	}
	logger.Info("listening", "address", listener.Addr().String(), "version", version(), "settings", settingsFile)
	h := handler.New(reconcile.New(reconcile.Options{
		Cluster:        apiServer,
		Defaults:       settings.GatewayDefaults(),
		Tracing:        traces,
		MaxGather:      settings.Delivery.GatherPause(reconcile.DefaultMaxGather),
		OrdersVersions: settings.Delivery.OrdersVersions,
	}), traces, logger)
	if who := settings.Authentication; who != nil {
		logger.Info("only events of allowed senders are taken", "audience", who.Audience, "allowed", who.Allowed)
		h.TakeFrom(handler.Senders{
			Authenticator: authn.New(authn.Options{Reviewer: apiServer, Audience: who.Audience}),
			Allows:        who.Allows,
		})
	}
	if sender != nil {
		h.WithOutcomes(sender)
	}
	return serve(ctx, listener, h, settings.Delivery.SweepsOnStart(), logger)
}

// serve answers requests and, beside it, makes the sweep after the start: whoever
// waits for the process to listen does not wait for that. A stopping process
// waits for it, within the time that it gives requests.
func serve(ctx context.Context, listener net.Listener, h *handler.Handler, sweeps bool, logger *slog.Logger) error {
	var sweep sync.WaitGroup
	defer sweep.Wait()
	if sweeps {
		sweep.Go(func() { h.Sweep(ctx) })
	}
	return handler.Serve(ctx, listener, h, logger)
}

// loadSettings returns the settings that hold without a file where none is named.
func loadSettings(file string) (config.HandlerConfig, error) {
	if file == "" {
		return config.HandlerConfig{}, nil
	}
	return config.Load(file)
}

// logThrough has the libraries that log by themselves do so through the logger.
func logThrough(logger *slog.Logger) {
	klog.SetSlogLogger(logger)
	otel.SetLogger(logr.FromSlogHandler(logger.Handler()))
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		logger.Warn("telemetry", "error", err)
	}))
}

// flush never fails the process: what it did for the cluster is done.
func flush(ctx context.Context, traces *telemetry.Traces, logger *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
	defer cancel()
	if err := traces.Shutdown(ctx); err != nil {
		logger.Warn("telemetry", "error", err)
	}
}

// clusterConfig reads KUBECONFIG, or the pod's ServiceAccount where it is unset.
func clusterConfig() (*rest.Config, error) {
	path := os.Getenv("KUBECONFIG")
	if path == "" {
		config, err := rest.InClusterConfig()
		if errors.Is(err, rest.ErrNotInCluster) {
			return nil, errors.New("no API server: KUBECONFIG is not set, and this is not a pod with a ServiceAccount")
		}
		return withUserAgent(config), err
	}
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		return nil, fmt.Errorf("read KUBECONFIG %s: %w", path, err)
	}
	return withUserAgent(config), nil
}

func withUserAgent(config *rest.Config) *rest.Config {
	if config != nil {
		config.UserAgent = telemetry.ServiceName + "/" + version()
	}
	return config
}
