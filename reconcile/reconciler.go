package reconcile

import (
	"context"
	"sync"
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// Cluster is what a reconciliation asks of the API server; package cluster has
// the real one. An error is "cannot tell" and never means that nothing is there.
type Cluster interface {
	// Gateway reads one Gateway as it is now; apierrors.IsNotFound if there is none.
	Gateway(ctx context.Context, name types.NamespacedName) (*gatewayv1.Gateway, error)
	// CertificatesOf reads the Certificates that name the Gateway. The list's
	// version is one whose events it has all seen, or empty.
	CertificatesOf(ctx context.Context, query cluster.CertificateQuery) (*certmanagerv1.CertificateList, error)
	// LabelledCertificates reads the Certificates that name any Gateway, as they
	// are now.
	LabelledCertificates(ctx context.Context) (*certmanagerv1.CertificateList, error)
	// ManagedGateways reads the Gateways that have a ledger.
	ManagedGateways(ctx context.Context) ([]gatewayv1.Gateway, error)
	// LatestManagedGateways reads them as they are now.
	LatestManagedGateways(ctx context.Context) ([]gatewayv1.Gateway, error)
	// GatewayNames reads which Gateways there are now.
	GatewayNames(ctx context.Context) (map[types.NamespacedName]bool, error)
	// Namespaces reads the metadata of those of the named Namespaces that exist.
	Namespaces(ctx context.Context, names []string) (map[string]metav1.ObjectMeta, error)
	// ReferenceGrants reads those of all namespaces.
	ReferenceGrants(ctx context.Context) ([]gatewayv1.ReferenceGrant, error)
	// Write brings the Gateway as it was read to the plan, or fails with
	// cluster.ErrOutdated, a [cluster.RefusedError] or the API server's error.
	Write(ctx context.Context, gateway *gatewayv1.Gateway, p plan.Plan) (*gatewayv1.Gateway, error)
	// OrdersVersions tells whether resourceVersions can be compared as numbers.
	OrdersVersions(ctx context.Context) bool
	// Try is Write as a dry run.
	Try(ctx context.Context, gateway *gatewayv1.Gateway, p plan.Plan) error
	// Record tells people who look at an object.
	Record(ctx context.Context, event cluster.Event) error
}

// Options are what a Reconciler is made of.
type Options struct {
	Cluster Cluster
	// Policy returns the version that is in force. It may be nil: then the zero
	// Policy is.
	Policy  func() Policy
	Tracing trace.TracerProvider
	// Metrics may be nil: then nothing is measured.
	Metrics metric.MeterProvider
	// Ended is told of each run at its end; it may be nil.
	Ended func(Outcome)
}

// Reconciler runs for Gateways and is safe for concurrent use. What it keeps
// between runs only bears on how often it reads, writes and tells, never on what.
type Reconciler struct {
	cluster  Cluster
	policy   func() Policy
	ended    func(Outcome)
	tracer   trace.Tracer
	metrics  *metrics
	queue    *queue
	coverage coverage
	fights   fights
	told     told
	quoted   quoted
}

// New returns a Reconciler.
func New(options Options) *Reconciler {
	r := &Reconciler{
		cluster: options.Cluster,
		policy:  options.Policy,
		tracer:  options.Tracing.Tracer(instrumentationName),
		metrics: newMetrics(options.Metrics),
	}
	if r.ended = options.Ended; r.ended == nil {
		r.ended = func(Outcome) {}
	}
	if r.policy == nil {
		r.policy = func() Policy { return Policy{} }
	}
	r.queue = newQueue(r.run, func() time.Duration { return r.policy().MaxGather })
	return r
}

// Handle runs for every Gateway that the change may concern, side by side, and
// returns one outcome for each, by the Gateway's name. An error means that it
// could not be told which Gateways those are; then nothing was done.
func (r *Reconciler) Handle(ctx context.Context, change Change) ([]Outcome, error) {
	change = change.read()
	r.coverage.told(change)
	if outcome, ok := r.covered(ctx, change); ok {
		return []Outcome{outcome}, nil
	}
	if change.Kind == Everything {
		return r.sweep(ctx)
	}
	gateways, err := r.lookUp(ctx, change)
	if err != nil {
		return nil, err
	}
	return r.runAll(ctx, gateways, change), nil
}

// covered answers a change that a run has seen already.
func (r *Reconciler) covered(ctx context.Context, change Change) (Outcome, bool) {
	if change.Kind == Gateway && change.Operation == Delete {
		r.coverage.forget(plan.NameOf(change.Object))
		return Outcome{}, false
	}
	r.coverage.under(r.policy())
	if !r.coverage.covers(change, r.ordering(ctx)) {
		return Outcome{}, false
	}
	gateway := plan.NameOf(change.Object)
	if change.Kind == Certificate {
		gateway, _ = plan.Target(change.Object)
	}
	return Outcome{Gateway: gateway, Verdict: Covered}, true
}

func (r *Reconciler) ordering(ctx context.Context) ordering {
	// Here, where no lock is held, and not before there is anything to compare: the
	// first event of a process that has just started should not wait for it.
	ordered := !r.coverage.empty() && r.ordersVersions(ctx)
	return func(version, reached string) bool {
		if version == reached || !ordered {
			return version == reached
		}
		order, err := resourceversion.CompareResourceVersion(version, reached)
		return err == nil && order <= 0
	}
}

func (r *Reconciler) ordersVersions(ctx context.Context) bool {
	if known := r.policy().OrdersVersions; known != nil {
		return *known
	}
	return r.cluster.OrdersVersions(ctx)
}

func (r *Reconciler) runAll(ctx context.Context, gateways []types.NamespacedName, change Change) []Outcome {
	outcomes := make([]Outcome, len(gateways))
	var group sync.WaitGroup
	for i, gateway := range gateways {
		group.Go(func() { outcomes[i] = r.queue.do(ctx, gateway, change) })
	}
	group.Wait()
	return outcomes
}
