package reconcile

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// sweep looks at every Gateway that a Certificate names or that has a ledger,
// and runs for those that are not as they should be. It makes up for events that
// never came, so it reads past the API server's cache.
func (r *Reconciler) sweep(ctx context.Context) (outcomes []Outcome, err error) {
	began := time.Now()
	ctx, span := r.tracer.Start(ctx, "sweep")
	defer func() {
		total := Sum(outcomes)
		r.metrics.sweep(ctx, total, time.Since(began), err)
		span.SetAttributes(sweepAttributes(total)...)
		end(span, err)
	}()

	view, err := r.viewAll(ctx)
	if err != nil {
		return nil, fmt.Errorf("look at all Gateways: %w", err)
	}
	policy := r.policy()
	var drifted []types.NamespacedName
	for _, name := range view.concerned() {
		o, settled := view.judge(name, policy)
		if !settled {
			drifted = append(drifted, name)
			continue
		}
		o.overtaken = r.overtook(policy)
		r.coverage.ran(o, r.ordering(ctx))
		r.metrics.looked(ctx, o)
		o.ReportErr = r.report(ctx, o, nil)
		outcomes = append(outcomes, o)
	}
	outcomes = append(outcomes, r.runAll(ctx, drifted, Change{Kind: Everything})...)
	slices.SortFunc(outcomes, func(a, b Outcome) int { return strings.Compare(a.Gateway.String(), b.Gateway.String()) })
	return outcomes, nil
}

// view is all that a sweep has read.
type view struct {
	gateways     map[types.NamespacedName]*gatewayv1.Gateway // that have a ledger
	names        map[types.NamespacedName]bool               // of all Gateways
	certificates map[types.NamespacedName][]certmanagerv1.Certificate
	version      string // of the Certificates
	namespaces   map[string]metav1.ObjectMeta
	grants       []gatewayv1.ReferenceGrant
}

// viewAll reads side by side what can be: each is a consistent read, which may
// wait for the API server's cache. The order does not matter, as it does for a
// run: what is not as it should be gets a run, which reads its own.
func (r *Reconciler) viewAll(ctx context.Context) (*view, error) {
	v := &view{gateways: map[types.NamespacedName]*gatewayv1.Gateway{}, certificates: map[types.NamespacedName][]certmanagerv1.Certificate{}}
	var labelled *certmanagerv1.CertificateList
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error { return r.viewManaged(groupCtx, v) })
	group.Go(func() error { return r.viewNames(groupCtx, v) })
	group.Go(func() (err error) {
		labelled, err = r.cluster.LabelledCertificates(groupCtx)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	v.version = labelled.ResourceVersion
	for i := range labelled.Items {
		if target, ok := plan.Target(&labelled.Items[i]); ok {
			v.certificates[target] = append(v.certificates[target], labelled.Items[i])
		}
	}
	return v, r.viewAround(ctx, v, plan.NamespacesOf(labelled.Items))
}

func (r *Reconciler) viewManaged(ctx context.Context, v *view) error {
	reached := r.coverage.reachedWith(Change{}, r.ordering(ctx))
	managed, err := r.cluster.LatestManagedGateways(ctx)
	if err != nil {
		return err
	}
	r.coverage.sawLedgers(managed, reached, r.ordering(ctx))
	for i := range managed {
		v.gateways[plan.NameOf(&managed[i])] = &managed[i]
	}
	return nil
}

func (r *Reconciler) viewNames(ctx context.Context, v *view) (err error) {
	v.names, err = r.cluster.GatewayNames(ctx)
	return err
}

// viewAround reads what depends on the Certificates.
func (r *Reconciler) viewAround(ctx context.Context, v *view, namespaces []string) error {
	group, ctx := errgroup.WithContext(ctx)
	if slices.ContainsFunc(v.concerned(), func(name types.NamespacedName) bool { return !v.names[name] }) {
		// It is missing, or has come since.
		group.Go(func() error { return r.viewNames(ctx, v) })
	}
	group.Go(func() (err error) {
		v.namespaces, err = r.cluster.Namespaces(ctx, namespaces)
		return err
	})
	group.Go(func() error {
		v.grants = r.readGrants(ctx)
		return nil
	})
	return group.Wait()
}

func (v *view) concerned() []types.NamespacedName {
	names := gatewaySet{}
	for name := range v.gateways {
		names.add(name)
	}
	for name := range v.certificates {
		names.add(name)
	}
	return names.sorted()
}

// judge reports whether a Gateway is as it should be, or missing, so that it needs
// no run: anybody can name one that is not there. One that has no ledger has not
// been read, so a run has to look at it.
func (v *view) judge(name types.NamespacedName, policy Policy) (Outcome, bool) {
	if !v.names[name] {
		o := Outcome{Gateway: name, policy: policy}
		o.miss(v.certificates[name])
		return o, true
	}
	gateway := v.gateways[name]
	if gateway == nil || gateway.DeletionTimestamp != nil {
		return Outcome{}, false
	}
	p := plan.For(plan.Input{
		Gateway: gateway, Certificates: v.certificates[name],
		Namespaces: v.namespaces, Grants: v.grants, Defaults: policy.Defaults,
	})
	o := Outcome{
		Gateway: name, Verdict: Unchanged, Plan: p,
		seen:         objects{gatewayReference(gateway), certificateReferences(v.certificates[name])},
		certificates: v.version, swept: true, policy: policy,
	}
	o.leave(gateway)
	if p.Paused {
		o.Verdict = Paused
	}
	return o, p.Unchanged()
}
