package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/config/telemetry"
	"gateway-cert-operator.io/gateway-cert-handler/handler"
	"gateway-cert-operator.io/gateway-cert-handler/handler/authn"
	"gateway-cert-operator.io/gateway-cert-handler/handler/outcomes"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
)

// run wires the parts, serves until ctx ends and sends what telemetry is left.
// settingsFile may be empty.
func run(ctx context.Context, logger *slog.Logger, settingsFile string) error {
	settings, err := loadSettings(settingsFile)
	if err != nil {
		return err
	}
	out, err := newOutgoing(ctx, settings)
	if err != nil {
		return err
	}
	defer out.close()
	signals, err := telemetry.Start(ctx, telemetry.Options{Version: version(), Logger: logger, Client: out.forTelemetry})
	if err != nil {
		return fmt.Errorf("set up telemetry: %w", err)
	}
	defer shutdown(ctx, signals)
	logger = slog.New(signals.LogHandler(logger.Handler()))
	klog.SetSlogLogger(logger) // client-go logs by itself

	sender, err := outcomeSender(settings.Outcomes, signals, out, logger)
	if err != nil {
		return fmt.Errorf("set up the delivery of outcomes: %w", err)
	}
	defer closeSender(ctx, sender)

	access, err := clusterConfig()
	if err != nil {
		return err
	}
	apiServer, err := cluster.New(access, signals.Traces)
	if err != nil {
		return fmt.Errorf("set up the API server's client: %w", err)
	}
	listener, err := listen(ctx)
	if err != nil {
		return err
	}
	logger.Info("listening", "address", listener.Addr().String(), "version", version(), "settings", settingsFile)
	p := process{settings: settings, signals: signals, sender: sender, logger: logger}
	return p.serve(ctx, listener, p.handler(apiServer))
}

// process is what its parts share.
type process struct {
	settings config.HandlerConfig
	signals  *telemetry.Telemetry
	sender   *outcomes.Sender // nil: nobody is told
	logger   *slog.Logger
}

func (p process) handler(apiServer *cluster.Cluster) *handler.Handler {
	h := handler.New(handler.Options{
		Reconciler: reconcile.New(reconcile.Options{
			Cluster:        apiServer,
			Defaults:       p.settings.GatewayDefaults(),
			Tracing:        p.signals.Traces,
			Metrics:        p.signals.Metrics,
			MaxGather:      p.settings.Delivery.GatherPause(reconcile.DefaultMaxGather),
			OrdersVersions: p.settings.Delivery.OrdersVersions,
		}),
		Tracing: p.signals.Traces,
		Metrics: p.signals.Metrics,
		Logger:  p.logger,
	})
	if who := p.settings.Authentication; who != nil {
		p.logger.Info("only events of allowed senders are taken", "audience", who.Audience, "allowed", who.Allowed)
		h.TakeFrom(handler.Senders{
			Authenticator: authn.New(authn.Options{Reviewer: apiServer, Audience: who.Audience}),
			Allows:        who.Allows,
		})
	}
	if p.sender != nil {
		h.WithOutcomes(p.sender)
	}
	return h
}

// serve answers requests and, beside it, makes the sweep after the start: whoever
// waits for the process to listen does not wait for that. A stopping process
// waits for it, within the time that it gives requests.
func (p process) serve(ctx context.Context, listener net.Listener, h *handler.Handler) error {
	var sweep sync.WaitGroup
	defer sweep.Wait()
	if p.settings.Delivery.SweepsOnStart() {
		sweep.Go(func() {
			defer p.signals.Work()()
			h.Sweep(ctx)
		})
	}
	return handler.Serve(ctx, listener, p.signals.FlushWhenIdle(h), p.logger)
}

// loadSettings returns the settings that hold without a file where none is named.
func loadSettings(file string) (config.HandlerConfig, error) {
	if file == "" {
		return config.HandlerConfig{}, nil
	}
	return config.Load(file, settingsOptions...)
}

// shutdown never fails the process: what it did for the cluster is done.
func shutdown(ctx context.Context, signals *telemetry.Telemetry) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), telemetry.ShutdownTimeout)
	defer cancel()
	signals.Shutdown(ctx)
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
