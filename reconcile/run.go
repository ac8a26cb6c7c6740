package reconcile

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"go.opentelemetry.io/otel/trace"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// run takes a turn: it brings the Gateway to what its Certificates ask for, and
// tells people. What another run has seen since the turn was taken needs none.
func (r *Reconciler) run(ctx context.Context, t *turn) (o Outcome) {
	if r.allCovered(ctx, t) {
		return Outcome{Gateway: t.gateway, Verdict: Covered}
	}
	began := time.Now()
	ctx, span := r.tracer.Start(ctx, "reconcile gateway",
		trace.WithLinks(t.links...), trace.WithAttributes(gatewayAttributes(t.gateway)...))
	defer func() {
		r.metrics.ran(ctx, o, time.Since(began))
		span.SetAttributes(outcomeAttributes(o)...)
		addEvents(span, o)
		end(span, o.Err)
		r.ended(o)
	}()
	defer func() {
		if p := recover(); p != nil { // the queue makes an outcome of it; nothing is known of the Gateway
			o = Outcome{Gateway: t.gateway, Verdict: TryAgain, Err: fmt.Errorf("panic: %v", p)}
			r.coverage.ran(o, nil)
			panic(p)
		}
	}()
	r.metrics.waited(ctx, began.Sub(t.asked))

	r.coverage.begin(t.gateway)
	defer r.coverage.end(t.gateway)
	o = r.bring(ctx, t)
	o.RunSpan, o.overtaken = span.SpanContext(), r.overtook(o.policy)
	r.coverage.ran(o, r.ordering(ctx))
	o.ReportErr = errors.Join(o.ReportErr, r.report(ctx, o, t.changes))
	return o
}

func (r *Reconciler) allCovered(ctx context.Context, t *turn) bool {
	r.coverage.under(r.policy())
	atMost := r.ordering(ctx)
	return !slices.ContainsFunc(t.changes, func(change Change) bool {
		return !r.coverage.coversFor(t.gateway, change, atMost)
	})
}

// bring tries again, from a new look at the Gateway, as long as others change it
// under its hands and the bounds in limits.go allow.
func (r *Reconciler) bring(ctx context.Context, t *turn) Outcome {
	ctx, cancel := context.WithTimeout(ctx, runDeadline)
	defer cancel()
	o := Outcome{Gateway: t.gateway, policy: r.policy()}
	err := wait.ExponentialBackoffWithContext(ctx, retries(), func(ctx context.Context) (done bool, _ error) {
		o.Attempts++
		o.Err = r.attempt(ctx, &o, t.notOlderThan())
		return !errors.Is(o.Err, cluster.ErrOutdated) && !errors.Is(o.Err, errUnfinished), nil
	})
	if errors.Is(o.Err, errUnfinished) {
		// Our own patch's event goes on with it.
		o.unfinished, o.Err, err = true, nil, nil
	}
	if err != nil {
		// The last attempt's error says more than that time or tries ran out.
		o.Err = fmt.Errorf("give up after %d attempts: %w", o.Attempts, errors.Join(o.Err, ctx.Err()))
	}
	o.Verdict = verdict(o)
	if o.Verdict == Unchanged && len(o.written) > 0 || o.unfinished {
		o.Verdict = Patched // by an earlier attempt
	}
	if o.Verdict == Patched {
		o.Plan.Changes = o.written
	}
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
	in, err := r.read(ctx, o, resourceVersion)
	if apierrors.IsNotFound(err) || err == nil && in.Gateway.DeletionTimestamp != nil {
		r.missing(ctx, o, resourceVersion)
		return nil
	}
	if err != nil {
		return err
	}
	if o.Plan, err = r.decide(ctx, &in, o); err != nil {
		return err
	}
	o.leave(in.Gateway)
	switch {
	case o.Plan.Paused:
		o.Verdict = Paused
		return nil
	case o.Plan.Unchanged():
		o.Verdict = Unchanged
		return nil
	case o.Plan.DryRun:
		o.Verdict = DryRun
		return nil
	}
	if pause, note := r.fights.slow(in.Gateway, o.Plan); note != nil && !o.slowed {
		o.slowed = true
		o.Notes = append(o.Notes, *note)
		if err := sleep(ctx, pause); err != nil {
			return err
		}
		return r.attempt(ctx, o, resourceVersion) // the Gateway may be another by now
	}
	return r.apply(ctx, in, o, resourceVersion)
}

// apply writes the plan and takes note of how that ended.
func (r *Reconciler) apply(ctx context.Context, in plan.Input, o *Outcome, resourceVersion string) error {
	patched, err := r.write(ctx, in, o)
	switch {
	case errors.Is(err, cluster.ErrRefused): // by a webhook with whatever code, 404 not excepted
		return err
	case apierrors.IsNotFound(err):
		r.missing(ctx, o, resourceVersion)
		return nil
	case err != nil:
		return err
	case patched == nil:
		o.Verdict = Unchanged
		return nil
	}
	r.fights.wrote(in.Gateway, patched, o.Plan)
	o.Verdict = Patched
	o.leave(patched)
	o.written = append(o.written, o.Plan.Changes...)
	if o.Plan.Unfinished || ownerSpoke(in.Gateway, patched, o.Plan) {
		return errUnfinished
	}
	return nil
}

// ownerSpoke reports whether the owner has changed an annotation between our look
// and our patch. No generation tells of it, so the patch's guard held.
func ownerSpoke(before, after *gatewayv1.Gateway, p plan.Plan) bool {
	theirs := func(gateway *gatewayv1.Gateway) map[string]string {
		annotations := maps.Clone(gateway.Annotations)
		maps.DeleteFunc(annotations, func(key, _ string) bool { _, ours := p.Annotations[key]; return ours })
		return annotations
	}
	return !maps.Equal(theirs(before), theirs(after))
}

// missing is the end of a run for a Gateway that is not there. Those who wait for
// it are to be told; that they cannot be found changes nothing else.
func (r *Reconciler) missing(ctx context.Context, o *Outcome, resourceVersion string) {
	o.miss(nil)
	nobody := func(context.Context, []string) ([]string, error) { return nil, nil } // names will do
	certificates, err := r.cluster.CertificatesOf(ctx, cluster.CertificateQuery{Gateway: o.Gateway, NotOlderThan: resourceVersion, Admit: nobody})
	if err != nil {
		o.ReportErr = fmt.Errorf("find who waits for Gateway %s: %w", o.Gateway, err)
		return
	}
	o.miss(certificates.Items)
}

// miss notes that there is no Gateway for these Certificates.
func (o *Outcome) miss(certificates []certmanagerv1.Certificate) {
	o.Verdict, o.Plan = GatewayMissing, plan.Plan{}
	o.seen = objects{certificates: certificateReferences(certificates)}
	for i := range certificates {
		o.Notes = append(o.Notes, plan.Finding{
			Reason: plan.ReasonGatewayMissing, Certificate: plan.NameOf(&certificates[i]),
			Message: fmt.Sprintf("there is no Gateway %s; its creation will complete this Certificate's listeners", o.Gateway),
		})
	}
}

// decide plans, and before it takes a listener off makes sure that no Certificate
// asks for it: what was read may be older than the Gateway, which another
// process may have changed since, for a Certificate that this one has not seen.
func (r *Reconciler) decide(ctx context.Context, in *plan.Input, o *Outcome) (plan.Plan, error) {
	first := r.plan(ctx, *in)
	if len(first.Removed()) == 0 {
		return first, nil
	}
	if err := r.readLatest(ctx, in, o); err != nil {
		return first, err
	}
	second := r.plan(ctx, *in)
	trace.SpanFromContext(ctx).SetAttributes(removalAttributes(first, second)...)
	return second, nil
}

func (r *Reconciler) plan(ctx context.Context, in plan.Input) plan.Plan {
	_, step := r.begin(ctx, phasePlan)
	defer step.done(nil)
	p := plan.For(in)
	step.SetAttributes(planAttributes(p)...)
	return p
}

func (r *Reconciler) patch(ctx context.Context, gateway *gatewayv1.Gateway, o *Outcome) (_ *gatewayv1.Gateway, err error) {
	ctx, step := r.begin(ctx, phasePatch, attempt.Int(o.Attempts))
	defer func() { o.patchTook = step.done(err) }()
	patched, err := r.cluster.Write(ctx, gateway, o.Plan)
	r.metrics.patched(ctx, err)
	return patched, err
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
