package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/cert-manager/cert-manager/pkg/controller"
	"github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/approver"
	crca "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/ca"
	crselfsigned "github.com/cert-manager/cert-manager/pkg/controller/certificaterequests/selfsigned"
	"github.com/cert-manager/cert-manager/pkg/controller/certificates/issuing"
	"github.com/cert-manager/cert-manager/pkg/controller/certificates/keymanager"
	"github.com/cert-manager/cert-manager/pkg/controller/certificates/readiness"
	"github.com/cert-manager/cert-manager/pkg/controller/certificates/requestmanager"
	"github.com/cert-manager/cert-manager/pkg/controller/certificates/revisionmanager"
	"github.com/cert-manager/cert-manager/pkg/controller/certificates/trigger"
	"github.com/cert-manager/cert-manager/pkg/controller/clusterissuers"
	"github.com/cert-manager/cert-manager/pkg/controller/issuers"
	// What an issuer of these kinds needs to become Ready.
	_ "github.com/cert-manager/cert-manager/pkg/issuer/ca"
	_ "github.com/cert-manager/cert-manager/pkg/issuer/selfsigned"
	"golang.org/x/sync/errgroup"
)

const (
	// workers of each controller, as cert-manager's own default.
	workers = 5
	// issuerSecrets is where a ClusterIssuer's Secret lies.
	issuerSecrets = "cert-manager"
)

// needed are the controllers on the way from a Certificate to its Secret.
// cert-manager registers them by these names when their packages are imported.
var needed = []string{
	approver.ControllerName,
	crca.CRControllerName,
	crselfsigned.CRControllerName,
	issuing.ControllerName,
	keymanager.ControllerName,
	readiness.ControllerName,
	requestmanager.ControllerName,
	revisionmanager.ControllerName,
	trigger.ControllerName,
	clusterissuers.ControllerName,
	issuers.ControllerName,
}

// run returns when ctx ends, or with the error of the first controller that
// fails.
func run(ctx context.Context, kubeconfig string) error {
	factory, err := controller.NewContextFactory(ctx, controller.ContextOptions{
		Kubeconfig:    kubeconfig,
		IssuerOptions: controller.IssuerOptions{ClusterResourceNamespace: issuerSecrets},
		CertificateOptions: controller.CertificateOptions{
			CopiedAnnotationPrefixes:                 []string{"*", "-kubectl.kubernetes.io/"},
			CertificateRequestMinimumBackoffDuration: time.Hour,
			CertificateRequestMaximumBackoffDuration: 32 * time.Hour,
		},
	})
	if err != nil {
		return fmt.Errorf("make cert-manager's clients: %w", err)
	}
	shared, err := factory.Build()
	if err != nil {
		return fmt.Errorf("make cert-manager's informers: %w", err)
	}
	running, ctx := errgroup.WithContext(ctx)
	for _, name := range needed {
		made, err := controller.Known()[name](factory)
		if err != nil {
			return fmt.Errorf("make controller %s: %w", name, err)
		}
		running.Go(func() error {
			if err := made.Run(workers, ctx); err != nil {
				return fmt.Errorf("run controller %s: %w", name, err)
			}
			return nil
		})
	}
	shared.SharedInformerFactory.Start(ctx.Done())
	shared.KubeSharedInformerFactory.Start(ctx.Done())
	slog.New(slog.NewJSONHandler(os.Stderr, nil)).Info("controllers started", "count", len(needed))
	return running.Wait()
}
