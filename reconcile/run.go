package reconcile

import (
	"context"
	"errors"
	"fmt"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"go.opentelemetry.io/otel/trace"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// run brings one Gateway to what its Certificates ask for. It tries again, from
// a new look at the Gateway, as long as others change it under its hands and
// the bounds in limits.go allow.
func (r *Reconciler) run(ctx context.Context, gateway types.NamespacedName, resourceVersion string) (o Outcome) {
	ctx, cancel := context.WithTimeout(ctx, runDeadline)
	defer cancel()
	ctx, span := r.tracer.Start(ctx, "reconcile gateway", trace.WithAttributes(gatewayAttributes(gateway)...))
	defer func() { span.SetAttributes(outcomeAttributes(o)...); end(span, o.Err) }()

	o.Gateway = gateway
	err := wait.ExponentialBackoffWithContext(ctx, retries(), func(ctx context.Context) (done bool, _ error) {
		o.Attempts++
		o.Err = r.attempt(ctx, &o, resourceVersion)
		return !errors.Is(o.Err, cluster.ErrOutdated), nil
	})
	if err != nil {
		// The last attempt's error says more than that time or tries ran out.
		o.Err = fmt.Errorf("give up after %d attempts: %w", o.Attempts, errors.Join(o.Err, ctx.Err()))
	}
	o.Verdict = verdict(o)
	return o
}

// verdict reads the outcome's other fields; an attempt that ended well has set
// it already.
func verdict(o Outcome) Verdict {
	switch {
	case o.Err == nil:
		return o.Verdict
	case errors.Is(o.Err, cluster.ErrRefused):
		return Refused
	default:
		return TryAgain
	}
}

func (r *Reconciler) attempt(ctx context.Context, o *Outcome, resourceVersion string) error {
	gateway, certificates, err := r.read(ctx, o.Gateway, resourceVersion)
	if apierrors.IsNotFound(err) || err == nil && gateway.DeletionTimestamp != nil {
		o.Verdict = GatewayMissing
		return nil
	}
	if err != nil {
		return err
	}
	if o.Plan, err = r.decide(ctx, gateway, certificates); err != nil {
		return err
	}
	o.ResourceVersion = gateway.ResourceVersion
	if o.Plan.Unchanged() {
		o.Verdict = Unchanged
		return nil
	}
	patched, err := r.write(ctx, gateway, o)
	switch {
	case apierrors.IsNotFound(err):
		o.Verdict = GatewayMissing
		return nil
	case err != nil:
		return err
	}
	o.Verdict, o.ResourceVersion = Patched, patched.ResourceVersion
	return nil
}

// read gets the Gateway and then its Certificates, in this order: the guard
// proves only that the Gateway is still the one that was read. Were the
// Certificates read first, another run could add one to the Gateway between the
// two, and the plan would take it off again under a guard that holds.
func (r *Reconciler) read(ctx context.Context, name types.NamespacedName, resourceVersion string) (_ *gatewayv1.Gateway, _ []certmanagerv1.Certificate, err error) {
	ctx, span := r.tracer.Start(ctx, "look up")
	defer func() { end(span, ignoreNotFound(err)) }()

	gateway, err := r.cluster.Gateway(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	certificates, err := r.cluster.CertificatesOf(ctx, name, resourceVersion)
	if err != nil {
		return nil, nil, err
	}
	span.SetAttributes(certificatesFound.Int(len(certificates)))
	return gateway, certificates, nil
}

// decide plans, and before it takes a listener off makes sure that no Certificate
// asks for it: what was read may be older than the Gateway, which another
// process may have changed since, for a Certificate that this one has not seen.
func (r *Reconciler) decide(ctx context.Context, gateway *gatewayv1.Gateway, certificates []certmanagerv1.Certificate) (plan.Plan, error) {
	p := r.plan(ctx, gateway, certificates)
	if !p.Removes() {
		return p, nil
	}
	latest, err := r.readLatest(ctx, plan.NameOf(gateway))
	if err != nil {
		return p, err
	}
	return r.plan(ctx, gateway, latest), nil
}

func (r *Reconciler) readLatest(ctx context.Context, gateway types.NamespacedName) (_ []certmanagerv1.Certificate, err error) {
	ctx, span := r.tracer.Start(ctx, "confirm removal")
	defer func() { end(span, err) }()
	latest, err := r.cluster.LatestCertificatesOf(ctx, gateway)
	span.SetAttributes(certificatesFound.Int(len(latest)))
	return latest, err
}

func (r *Reconciler) plan(ctx context.Context, gateway *gatewayv1.Gateway, certificates []certmanagerv1.Certificate) plan.Plan {
	_, span := r.tracer.Start(ctx, "plan")
	defer span.End()
	p := plan.For(gateway, certificates)
	span.SetAttributes(planAttributes(p)...)
	return p
}

func (r *Reconciler) write(ctx context.Context, gateway *gatewayv1.Gateway, o *Outcome) (_ *gatewayv1.Gateway, err error) {
	ctx, span := r.tracer.Start(ctx, "patch", trace.WithAttributes(attempt.Int(o.Attempts)))
	defer func() { end(span, err) }()
	return r.cluster.Write(ctx, gateway, o.Plan)
}

func ignoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
