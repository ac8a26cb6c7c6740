package main

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/view"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// What bears on Certificates that have been read.

// readNamespaces reads the Certificates' Namespaces: all together as the handler
// does or, where that is not allowed, one by one.
func (l *look) readNamespaces(ctx context.Context) error {
	names := plan.NamespacesOf(l.Certificates)
	found, err := l.cluster.Namespaces(ctx, names)
	if !apierrors.IsForbidden(err) {
		l.Namespaces = found
		return err
	}
	for _, name := range names {
		if err := l.readNamespace(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func (l *look) readNamespace(ctx context.Context, name string) error {
	found, err := l.cluster.Namespaces(ctx, []string{name})
	switch {
	case apierrors.IsForbidden(err):
		l.Closed[name] = true
		l.Namespaces[name] = metav1.ObjectMeta{Name: name} // Certificates stand in it, so it is there
		l.Miss(view.Gap{
			Verb: "get", Resource: namespaceResource, Name: name,
			Consequence: "neither its labels nor its annotation allowed-hostnames are known; listeners of its Certificates are taken to stay as they are",
		})
	case err != nil:
		return err
	default:
		if meta, there := found[name]; there {
			l.Namespaces[name] = meta
		}
	}
	return nil
}

// readGrants asks for ReferenceGrants only where a Certificate's Secret stands in
// another namespace than its Gateway: those of all namespaces or, where that is not
// allowed, of the Certificates' own.
func (l *look) readGrants(ctx context.Context) error {
	foreign := map[string]bool{}
	for i := range l.Certificates {
		if target, ok := plan.Target(&l.Certificates[i]); ok && target.Namespace != l.Certificates[i].Namespace {
			foreign[l.Certificates[i].Namespace] = true
		}
	}
	l.Grants = []gatewayv1.ReferenceGrant{}
	if len(foreign) == 0 {
		return nil
	}
	grants, err := l.cluster.ReferenceGrants(ctx)
	switch {
	case apierrors.IsForbidden(err) && len(foreign) == 1:
		for namespace := range foreign {
			return l.readGrantsIn(ctx, namespace)
		}
	case apierrors.IsForbidden(err):
		l.missGrants("")
	case err != nil:
		return err
	}
	l.Grants = append(l.Grants, grants...)
	return nil
}

func (l *look) readGrantsIn(ctx context.Context, namespace string) error {
	list, err := l.gateways.ReferenceGrants(namespace).List(ctx, metav1.ListOptions{})
	switch {
	case apierrors.IsForbidden(err):
		l.missGrants(namespace)
		return nil
	case apierrors.IsNotFound(err): // of an older Gateway API, whose own version is asked for all namespaces only
		l.missGrants("")
		return nil
	case err != nil:
		return fmt.Errorf("list ReferenceGrants of namespace %s: %w", namespace, err)
	}
	l.Grants = append(l.Grants, list.Items...)
	return nil
}

func (l *look) missGrants(namespace string) {
	l.Grants = nil
	l.Miss(view.Gap{
		Verb: "list", Resource: referenceGrantResource, Namespace: namespace,
		Consequence: "it cannot be told whether Gateways may use the Secrets of other namespaces",
	})
}

// readTold reads what only the handler can know of a Gateway: whether another
// writer undoes its work.
func (l *look) readTold(ctx context.Context, gateway types.NamespacedName) error {
	l.Told[gateway] = nil
	if l.Hidden[gateway] {
		return nil // there is nothing to tell it of
	}
	list, err := l.events.Events(gateway.Namespace).List(ctx, metav1.ListOptions{FieldSelector: fields.Set{
		"regarding.kind": "Gateway", "regarding.name": gateway.Name,
		"reportingController": cluster.ReportingController, "reason": string(plan.ReasonConflictingWriter),
	}.String()})
	switch {
	case apierrors.IsForbidden(err):
		l.Miss(view.Gap{
			Verb: "list", Resource: eventResource, Namespace: gateway.Namespace,
			Consequence: "it cannot be told whether another program keeps undoing the handler's work",
		})
		return nil
	case err != nil:
		return fmt.Errorf("list Events of namespace %s: %w", gateway.Namespace, err)
	}
	for i := range list.Items {
		l.Told[gateway] = append(l.Told[gateway], plan.Finding{Reason: plan.Reason(list.Items[i].Reason), Message: list.Items[i].Note})
	}
	return nil
}
