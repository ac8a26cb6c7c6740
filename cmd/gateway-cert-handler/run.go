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

	"gateway-cert-operator.io/gateway-cert-handler/cmd/gateway-cert-handler/notice"
	"gateway-cert-operator.io/gateway-cert-handler/cmd/version"
	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/config/live"
	"gateway-cert-operator.io/gateway-cert-handler/config/telemetry"
	"gateway-cert-operator.io/gateway-cert-handler/handler"
	"gateway-cert-operator.io/gateway-cert-handler/handler/debug"
	"gateway-cert-operator.io/gateway-cert-handler/handler/outcomes"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
)

// options are what the command line says.
type options struct {
	settings settingsSource
	// debugAddress is a loopback one; empty serves nothing for debugging.
	debugAddress string
}

// run wires the parts, serves until ctx ends and sends what telemetry is left.
func run(ctx context.Context, logger *slog.Logger, o options) error {
	p := &process{from: o.settings, logger: logger}
	if err := p.openSettings(ctx); err != nil {
		return err
	}
	p.out = newOutgoing(ctx, p.settings.InForce, logger)
	defer p.out.close()
	var err error
	p.signals, err = telemetry.Start(ctx, telemetry.Options{Version: version.String(), Logger: logger, Client: p.out.forTelemetry})
	if err != nil {
		return fmt.Errorf("set up telemetry: %w", err)
	}
	defer shutdown(ctx, p.signals)
	p.logger = slog.New(p.signals.LogHandler(logger.Handler()))
	klog.SetSlogLogger(p.logger) // client-go logs by itself

	p.sender, err = p.outcomeSender()
	if err != nil {
		return fmt.Errorf("set up the delivery of outcomes: %w", err)
	}
	defer closeSender(ctx, p.sender)

	access, err := clusterConfig()
	if err != nil {
		return err
	}
	apiServer, err := cluster.New(access, p.signals.Traces)
	if err != nil {
		return fmt.Errorf("set up the API server's client: %w", err)
	}
	listener, err := listen(ctx)
	if err != nil {
		return err
	}
	if o.debugAddress != "" {
		if p.debug, err = debug.Listen(ctx, o.debugAddress); err != nil {
			return fmt.Errorf("listen on -debug-address: %w", errors.Join(err, listener.Close()))
		}
		p.logger.Info("debugging", "address", p.debug.Addr().String())
	}
	p.logger.Info("listening", "address", listener.Addr().String(), "version", version.String(), "settings", o.settings.file)
	return p.serve(ctx, listener, apiServer)
}

// process is what its parts share.
type process struct {
	from     settingsSource
	touched  <-chan struct{} // see [live.Watch]
	settings *live.Settings[parts]
	// changed is told of new settings once they are followed.
	changed func(context.Context, live.Change[parts])
	out     *outgoing // nil before telemetry is set up
	signals *telemetry.Telemetry
	sender  *outcomes.Sender
	logger  *slog.Logger
	debug   net.Listener // nil: nothing is served there
	recent  debug.Recent
}

// openSettings watches first: what changes while the process starts is seen.
func (p *process) openSettings(ctx context.Context) (err error) {
	if p.from.file != "" {
		p.touched = watchSettings(ctx, p.from.file, p.logger)
	}
	p.settings, err = live.Open(ctx, live.Options[parts]{Load: p.from.load, Build: p.build, Report: func(ctx context.Context, c live.Change[parts]) {
		p.changed(ctx, c)
	}})
	return err
}

// build makes what depends on settings that are not in force yet. Those that a
// process starts with have no clients to be made: it starts whatever a backend of
// its telemetry is like.
func (p *process) build(ctx context.Context, settings config.HandlerConfig) (parts, error) {
	if p.out == nil {
		return build(ctx, settings)
	}
	if err := p.out.validate(settings); err != nil {
		return parts{}, err
	}
	made, err := build(ctx, settings)
	if err != nil {
		return parts{}, err
	}
	return made, p.out.prepare(ctx, settings, made.trusted)
}

func (p *process) reconciler(apiServer *cluster.Cluster) *reconcile.Reconciler {
	options := reconcile.Options{
		Cluster: apiServer,
		Policy:  func() reconcile.Policy { return policyOf(p.settings.InForce()) },
		Tracing: p.signals.Traces,
		Metrics: p.signals.Metrics,
	}
	if p.debug != nil { // else nobody will ask what runs came to
		options.Ended = p.recent.Add
	}
	return reconcile.New(options)
}

func (p *process) handler(apiServer *cluster.Cluster, reconciler *reconcile.Reconciler) *handler.Handler {
	h := handler.New(handler.Options{
		Reconciler: reconciler,
		Tracing:    p.signals.Traces,
		Metrics:    p.signals.Metrics,
		Logger:     p.logger,
	})
	who := senders{reviewer: apiServer, inForce: func() *config.Authentication { return p.settings.InForce().Settings.Authentication }, logger: p.logger}
	who.now() // to say so
	h.TakeFrom(who.now)
	h.WithOutcomes(p.sender)
	return h
}

// serve answers requests and, beside it, follows the settings and makes the
// sweeps that nobody asks for: whoever waits for the process to listen does not
// wait for those. A stopping process does, within the time that it gives requests.
func (p *process) serve(ctx context.Context, listener net.Listener, apiServer *cluster.Cluster) error {
	reconciler := p.reconciler(apiServer)
	h := p.handler(apiServer, reconciler)
	sweeps := make(chan string, 1)
	if p.settings.InForce().Settings.Delivery.SweepsOnStart() {
		sweeps <- handler.Start
	}
	var beside sync.WaitGroup
	defer beside.Wait()
	beside.Go(func() { p.sweep(ctx, h, sweeps) })
	beside.Go(func() { p.follow(ctx, apiServer, sweeps) })
	if p.debug != nil {
		shown := debug.New(debug.Options{Preview: reconciler.Preview, Recent: &p.recent})
		beside.Go(func() { debug.Serve(ctx, p.debug, shown, p.logger) })
	}
	return handler.Serve(ctx, listener, p.signals.FlushWhenIdle(h), p.logger)
}

// sweep makes sweeps until ctx ends. It does not end in the midst of one.
func (p *process) sweep(ctx context.Context, h *handler.Handler, causes <-chan string) {
	sweepFor(ctx, causes, func(cause string) bool {
		defer p.signals.Work()()
		return h.Sweep(ctx, cause)
	})
}

// follow takes new settings until ctx ends.
func (p *process) follow(ctx context.Context, apiServer *cluster.Cluster, sweeps chan<- string) {
	if p.from.file == "" {
		return
	}
	notices := notice.New(notice.Options{
		Logger: p.logger, Metrics: p.signals.Metrics, Record: apiServer.Record, About: p.from.reference(p.logger),
	})
	p.changed = func(ctx context.Context, c live.Change[parts]) {
		if c.Err != nil {
			notices.Refused(ctx, c.Now.Generation, c.Err)
			return
		}
		if !samePlans(c.Before.Settings, c.Now.Settings) {
			select {
			case sweeps <- handler.NewSettings:
			default: // one that has not begun will see these settings too
			}
		}
		notices.Taken(ctx, c.Now.Generation) // last, as it may wait for the API server
	}
	p.settings.Follow(ctx, p.touched)
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
		config.UserAgent = telemetry.ServiceName + "/" + version.String()
	}
	return config
}
