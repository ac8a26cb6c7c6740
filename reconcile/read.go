package reconcile

import (
	"context"
	"slices"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"go.opentelemetry.io/otel/trace"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// read gets the Gateway and then its Certificates, in this order: the guard
// proves only that the Gateway is still the one that was read. Were the
// Certificates read first, another run could add one to the Gateway between the
// two, and the plan would take it off again under a guard that holds.
func (r *Reconciler) read(ctx context.Context, o *Outcome, resourceVersion string) (in plan.Input, err error) {
	ctx, span := r.tracer.Start(ctx, "look up")
	defer func() { end(span, ignoreNotFound(err)) }()

	in.Defaults = r.defaults
	if in.Gateway, err = r.cluster.Gateway(ctx, o.Gateway); err != nil {
		return in, err
	}
	if in.Certificates, err = r.cluster.CertificatesOf(ctx, o.Gateway, resourceVersion); err != nil {
		return in, err
	}
	return in, r.readAround(ctx, &in, o)
}

// readLatest reads the Certificates once more, as they are now.
func (r *Reconciler) readLatest(ctx context.Context, in *plan.Input, o *Outcome) (err error) {
	ctx, span := r.tracer.Start(ctx, "confirm removal")
	defer func() { end(span, err) }()
	if in.Certificates, err = r.cluster.LatestCertificatesOf(ctx, o.Gateway); err != nil {
		return err
	}
	return r.readAround(ctx, in, o)
}

// readAround reads what bears on the Certificates: their Namespaces, and the
// ReferenceGrants where a Secret of another namespace is to be referred to.
func (r *Reconciler) readAround(ctx context.Context, in *plan.Input, o *Outcome) error {
	span := trace.SpanFromContext(ctx)
	span.SetAttributes(certificatesFound.Int(len(in.Certificates)))
	o.seen = objects{gateway: gatewayReference(in.Gateway), certificates: certificateReferences(in.Certificates)}

	namespaces := plan.NamespacesOf(in.Certificates)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		in.Namespaces, err = r.cluster.Namespaces(ctx, namespaces)
		return err
	})
	if slices.ContainsFunc(namespaces, func(name string) bool { return name != in.Gateway.Namespace }) {
		group.Go(func() error {
			grants, err := r.cluster.ReferenceGrants(ctx)
			if err != nil { // only a warning depends on them
				span.RecordError(err)
				return nil
			}
			in.Grants = append([]gatewayv1.ReferenceGrant{}, grants...)
			return nil
		})
	}
	return group.Wait()
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
