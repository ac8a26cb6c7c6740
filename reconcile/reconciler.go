package reconcile

import (
	"context"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// Cluster is what a reconciliation asks of the API server; package cluster has
// the real one. An error is "cannot tell" and never means that nothing is there.
type Cluster interface {
	// Gateway reads one Gateway as it is now; apierrors.IsNotFound if there is none.
	Gateway(ctx context.Context, name types.NamespacedName) (*gatewayv1.Gateway, error)
	// CertificatesOf reads the Certificates that name the Gateway, not older
	// than resourceVersion, which may be empty.
	CertificatesOf(ctx context.Context, gateway types.NamespacedName, resourceVersion string) ([]certmanagerv1.Certificate, error)
	// LatestCertificatesOf reads them as they are now.
	LatestCertificatesOf(ctx context.Context, gateway types.NamespacedName) ([]certmanagerv1.Certificate, error)
	// LabelledCertificates reads the Certificates that name any Gateway.
	LabelledCertificates(ctx context.Context) ([]certmanagerv1.Certificate, error)
	// ManagedGateways reads the Gateways that have a ledger.
	ManagedGateways(ctx context.Context) ([]gatewayv1.Gateway, error)
	// Write brings the Gateway as it was read to the plan, or fails with
	// cluster.ErrOutdated, cluster.ErrRefused or the API server's error.
	Write(ctx context.Context, gateway *gatewayv1.Gateway, p plan.Plan) (*gatewayv1.Gateway, error)
}

// Reconciler runs for Gateways. It keeps nothing between runs and is safe for
// concurrent use.
type Reconciler struct {
	cluster Cluster
	tracer  trace.Tracer
}

// New returns a Reconciler that works on the cluster and tells the provider.
func New(cluster Cluster, provider trace.TracerProvider) *Reconciler {
	return &Reconciler{cluster: cluster, tracer: provider.Tracer(instrumentationName)}
}

// Handle runs for every Gateway that the change may concern, side by side, and
// returns one outcome for each, by the Gateway's name. An error means that it
// could not be told which Gateways those are; then nothing was done.
func (r *Reconciler) Handle(ctx context.Context, change Change) ([]Outcome, error) {
	gateways, err := r.lookUp(ctx, change)
	if err != nil {
		return nil, err
	}
	outcomes := make([]Outcome, len(gateways))
	var group errgroup.Group
	group.SetLimit(maxParallelRuns)
	for i, gateway := range gateways {
		group.Go(func() error {
			outcomes[i] = r.run(ctx, gateway, notOlderThan(change))
			return nil
		})
	}
	_ = group.Wait() // each run's error is in its outcome
	return outcomes, nil
}

// notOlderThan returns the version that the Certificates must have reached for
// a run to see the change.
func notOlderThan(change Change) string {
	if change.Kind != Certificate {
		return ""
	}
	return change.Object.ResourceVersion
}
