package reconcile

import (
	"context"
	"fmt"
	"maps"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// read gets the Gateway and then its Certificates, in this order: the guard
// proves only that the Gateway is still the one that was read. Were the
// Certificates read first, another run could add one to the Gateway between the
// two, and the plan would take it off again under a guard that holds.
func (r *Reconciler) read(ctx context.Context, o *Outcome, resourceVersion string) (in plan.Input, err error) {
	ctx, step := r.begin(ctx, phaseLookUp)
	defer func() { step.done(ignoreNotFound(err)) }()

	in.Defaults = o.policy.Defaults
	if in.Gateway, err = r.cluster.Gateway(ctx, o.Gateway); err != nil {
		return in, err
	}
	if plan.IsPaused(in.Gateway) {
		return in, nil
	}
	return in, r.readAround(ctx, &in, o, cluster.CertificateQuery{Gateway: o.Gateway, NotOlderThan: resourceVersion})
}

// readLatest reads the Certificates once more, as they are now.
func (r *Reconciler) readLatest(ctx context.Context, in *plan.Input, o *Outcome) (err error) {
	ctx, step := r.begin(ctx, phaseConfirmRemoval)
	defer func() { step.done(err) }()
	return r.readAround(ctx, in, o, cluster.CertificateQuery{Gateway: o.Gateway, Latest: true})
}

// readAround reads the Certificates and what bears on them: their Namespaces,
// and the ReferenceGrants where Secrets of other namespaces are to be referred to.
// The Gateway's own Namespace is always needed, and so is read meanwhile.
func (r *Reconciler) readAround(ctx context.Context, in *plan.Input, o *Outcome, query cluster.CertificateQuery) error {
	a := around{cluster: r.cluster, consent: plan.ConsentOf(in.Gateway, in.Defaults), namespaces: map[string]metav1.ObjectMeta{}}
	query.Admit = a.admit
	var certificates *certmanagerv1.CertificateList
	var own map[string]metav1.ObjectMeta
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		certificates, err = r.cluster.CertificatesOf(groupCtx, query)
		return err
	})
	group.Go(func() (err error) {
		own, err = a.ask(groupCtx, []string{o.Gateway.Namespace})
		return err
	})
	if err := group.Wait(); err != nil {
		return err
	}
	maps.Copy(a.namespaces, own)
	in.Certificates, in.Namespaces = certificates.Items, a.namespaces
	if a.admitted {
		in.Grants = r.readGrants(ctx)
	}
	o.certificates = certificates.ResourceVersion
	o.seen = objects{gateway: gatewayReference(in.Gateway), certificates: certificateReferences(in.Certificates)}
	trace.SpanFromContext(ctx).SetAttributes(certificatesFound.Int(len(in.Certificates)))
	return nil
}

// readGrants returns nil where they cannot be read: only a warning depends on them.
func (r *Reconciler) readGrants(ctx context.Context) []gatewayv1.ReferenceGrant {
	grants, err := r.cluster.ReferenceGrants(ctx)
	if err != nil {
		trace.SpanFromContext(ctx).RecordError(err)
		return nil
	}
	return append([]gatewayv1.ReferenceGrant{}, grants...)
}

// around is what is read for the sake of Certificates.
type around struct {
	cluster    Cluster
	consent    plan.Consent
	namespaces map[string]metav1.ObjectMeta
	admitted   bool // of any other namespace than the Gateway's
}

// admit answers a [cluster.CertificateQuery]. Where no other namespace may attach,
// the Namespaces need not be read to say so.
func (a *around) admit(ctx context.Context, names []string) (admitted []string, err error) {
	if a.consent.OwnOnly {
		for _, name := range names {
			a.namespaces[name] = metav1.ObjectMeta{Name: name}
		}
		return nil, nil
	}
	found, err := a.ask(ctx, names)
	if err != nil {
		return nil, err
	}
	maps.Copy(a.namespaces, found)
	for _, name := range names {
		if meta, there := a.namespaces[name]; there && a.consent.Admits(meta) {
			admitted = append(admitted, name)
		}
	}
	a.admitted = len(admitted) > 0
	return admitted, nil
}

func (a *around) ask(ctx context.Context, names []string) (map[string]metav1.ObjectMeta, error) {
	found, err := a.cluster.Namespaces(ctx, names)
	if err != nil {
		return nil, fmt.Errorf("read Namespaces: %w", err)
	}
	return found, nil
}

func gatewayReference(gateway *gatewayv1.Gateway) *corev1.ObjectReference {
	return new(reference(gateway, gatewayv1.GroupVersion.String(), "Gateway"))
}

func certificateReferences(certificates []certmanagerv1.Certificate) map[types.NamespacedName]corev1.ObjectReference {
	references := make(map[types.NamespacedName]corev1.ObjectReference, len(certificates))
	for i := range certificates {
		references[plan.NameOf(&certificates[i])] = reference(&certificates[i], certmanagerv1.SchemeGroupVersion.String(), certmanagerv1.CertificateKind)
	}
	return references
}

func reference(object metav1.Object, apiVersion, kind string) corev1.ObjectReference {
	return corev1.ObjectReference{
		APIVersion: apiVersion, Kind: kind,
		Namespace: object.GetNamespace(), Name: object.GetName(),
		UID: object.GetUID(), ResourceVersion: object.GetResourceVersion(),
	}
}

func ignoreNotFound(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
