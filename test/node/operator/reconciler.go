package main

import (
	"context"
	"fmt"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// targetIndex finds in the cache the Certificates of a Gateway.
const targetIndex = "target"

// reconciler reads from informers and writes to the API server.
type reconciler struct{ client.Client }

// register has the manager watch Certificates, and Gateways for their Certificates.
func register(ctx context.Context, manager ctrl.Manager) error {
	err := manager.GetFieldIndexer().IndexField(ctx, &certmanagerv1.Certificate{}, targetIndex, func(object client.Object) []string {
		if target, ok := targetOf(object); ok {
			return []string{target.String()}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("index Certificates by their Gateway: %w", err)
	}
	r := reconciler{manager.GetClient()}
	err = ctrl.NewControllerManagedBy(manager).
		For(&certmanagerv1.Certificate{}).
		Watches(&gatewayv1.Gateway{}, handler.EnqueueRequestsFromMapFunc(r.certificatesOf)).
		Complete(r)
	if err != nil {
		return fmt.Errorf("watch Certificates and Gateways: %w", err)
	}
	return nil
}

// certificatesOf are those whose turn it is when their Gateway has changed.
func (r reconciler) certificatesOf(ctx context.Context, gateway client.Object) []reconcile.Request {
	certificates, err := r.list(ctx, client.ObjectKeyFromObject(gateway))
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "a change of a Gateway is passed over")
	}
	var requests []reconcile.Request
	for i := range certificates {
		requests = append(requests, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&certificates[i])})
	}
	return requests
}

func (r reconciler) list(ctx context.Context, gateway types.NamespacedName) ([]certmanagerv1.Certificate, error) {
	var found certmanagerv1.CertificateList
	if err := r.List(ctx, &found, client.MatchingFields{targetIndex: gateway.String()}); err != nil {
		return nil, fmt.Errorf("list the Certificates of Gateway %s: %w", gateway, err)
	}
	return found.Items, nil
}

// Reconcile makes the listeners of one Certificate's Gateway anew.
func (r reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	var certificate certmanagerv1.Certificate
	if err := r.Get(ctx, request.NamespacedName, &certificate); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	target, ok := targetOf(&certificate)
	if !ok {
		return reconcile.Result{}, nil
	}
	return reconcile.Result{}, r.update(ctx, target)
}

// update patches a Gateway whose listeners are not those of its Certificates.
func (r reconciler) update(ctx context.Context, name types.NamespacedName) error {
	certificates, err := r.list(ctx, name)
	if err != nil {
		return err
	}
	var gateway gatewayv1.Gateway
	if err := r.Get(ctx, name, &gateway); err != nil {
		return fmt.Errorf("get Gateway %s: %w", name, err)
	}
	listeners := merge(gateway.Spec.Listeners, listenersOf(certificates))
	if equal(gateway.Spec.Listeners, listeners, name.Namespace) {
		return nil
	}
	before := gateway.DeepCopy()
	gateway.Spec.Listeners = listeners
	if err := r.Patch(ctx, &gateway, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("patch Gateway %s: %w", name, err)
	}
	ctrl.LoggerFrom(ctx).Info("patched a Gateway", "gateway", name)
	return nil
}
