// Command operator is an always-on operator that does what the handler does: it
// watches all Certificates and Gateways from a process that never sleeps. It is
// there to be measured against, and is no more than that takes. It has no leader
// election, no Events, no Gateway's say in who may attach, no check of hostnames
// and no care for the listeners of a Certificate that is deleted, all of which
// would make it larger.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

const (
	metricsAddress = ":8080"
	probesAddress  = ":8081"
)

func main() {
	ctrl.SetLogger(zap.New())
	if err := run(ctrl.SetupSignalHandler()); err != nil {
		fmt.Fprintln(os.Stderr, "operator:", err)
		os.Exit(1)
	}
}

// run works until ctx ends.
func run(ctx context.Context) error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("find the API server: %w", err)
	}
	scheme := runtime.NewScheme()
	err = errors.Join(clientgoscheme.AddToScheme(scheme), certmanagerv1.AddToScheme(scheme), gatewayv1.Install(scheme))
	if err != nil {
		return fmt.Errorf("register the kinds: %w", err)
	}
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: scheme, Metrics: metricsserver.Options{BindAddress: metricsAddress}, HealthProbeBindAddress: probesAddress,
	})
	if err != nil {
		return fmt.Errorf("make the manager: %w", err)
	}
	if err := errors.Join(manager.AddHealthzCheck("healthz", healthz.Ping), manager.AddReadyzCheck("readyz", healthz.Ping)); err != nil {
		return fmt.Errorf("add the probes: %w", err)
	}
	if err := register(ctx, manager); err != nil {
		return err
	}
	return manager.Start(ctx)
}
