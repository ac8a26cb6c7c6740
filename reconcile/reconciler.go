package reconcile

import (
	"context"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
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
	// Namespaces reads the metadata of those of the named Namespaces that exist.
	Namespaces(ctx context.Context, names []string) (map[string]metav1.ObjectMeta, error)
	// ReferenceGrants reads those of all namespaces.
	ReferenceGrants(ctx context.Context) ([]gatewayv1.ReferenceGrant, error)
	// Write brings the Gateway as it was read to the plan, or fails with
	// cluster.ErrOutdated, a [cluster.RefusedError] or the API server's error.
	Write(ctx context.Context, gateway *gatewayv1.Gateway, p plan.Plan) (*gatewayv1.Gateway, error)
	// Try is Write as a dry run.
	Try(ctx context.Context, gateway *gatewayv1.Gateway, p plan.Plan) error
	// Record tells people who look at an object.
	Record(ctx context.Context, event cluster.Event) error
}

// Options are what a Reconciler is made of.
type Options struct {
	Cluster Cluster
	// Defaults hold where a Gateway's owner says nothing.
	Defaults plan.Defaults
	Tracing  trace.TracerProvider
}

// Reconciler runs for Gateways and is safe for concurrent use. What it keeps
// between runs only bears on how often it writes and tells, never on what.
type Reconciler struct {
	cluster  Cluster
	defaults plan.Defaults
	tracer   trace.Tracer
	fights   fights
	told     told
}

// New returns a Reconciler.
func New(options Options) *Reconciler {
	return &Reconciler{
		cluster:  options.Cluster,
		defaults: options.Defaults,
		tracer:   options.Tracing.Tracer(instrumentationName),
	}
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
			outcomes[i] = r.run(ctx, gateway, change)
			return nil
		})
	}
	_ = group.Wait() // each run's error is in its outcome
	return outcomes, nil
}
