package main

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"knative.dev/networking/pkg/apis/networking"
	"knative.dev/networking/pkg/apis/networking/v1alpha1"
	networkingclient "knative.dev/networking/pkg/client/clientset/versioned/typed/networking/v1alpha1"
)

// retry is how soon it is tried again, such as while the kind KIngress is not
// there yet.
const retry = 200 * time.Millisecond

// follower keeps the routes as the KIngresses say.
type follower struct {
	client networkingclient.NetworkingV1alpha1Interface
	ip     string // where the proxy listens
	logger *slog.Logger
	routes atomic.Pointer[routes]
}

// follow works until ctx ends. There are few KIngresses, so all are listed anew
// after each change.
func (f *follower) follow(ctx context.Context) {
	for ctx.Err() == nil {
		if err := f.once(ctx); err != nil {
			f.logger.WarnContext(ctx, "KIngresses", "error", err)
		}
		select {
		case <-time.After(retry):
		case <-ctx.Done():
		}
	}
}

// once follows one watch to its end.
func (f *follower) once(ctx context.Context) error {
	version, err := f.takeUp(ctx)
	if err != nil {
		return err
	}
	watch, err := f.client.Ingresses("").Watch(ctx, metav1.ListOptions{ResourceVersion: version})
	if err != nil {
		return fmt.Errorf("watch: %w", err)
	}
	defer watch.Stop()
	for range watch.ResultChan() {
		if _, err := f.takeUp(ctx); err != nil {
			return err
		}
	}
	return nil
}

// takeUp lists what there is, routes accordingly, and then says so in the status
// of what is new. It returns the list's version.
func (f *follower) takeUp(ctx context.Context) (string, error) {
	list, err := f.client.Ingresses("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", fmt.Errorf("list: %w", err)
	}
	var ours []v1alpha1.Ingress
	for _, ingress := range list.Items {
		if ingress.Annotations[networking.IngressClassAnnotationKey] == class && ingress.DeletionTimestamp == nil {
			ours = append(ours, ingress)
		}
	}
	f.routes.Store(newRoutes(ours))
	for _, ingress := range ours {
		if ingress.IsReady() {
			continue
		}
		if err := f.markReady(ctx, &ingress); err != nil {
			return "", err
		}
	}
	return list.ResourceVersion, nil
}

func (f *follower) markReady(ctx context.Context, ingress *v1alpha1.Ingress) error {
	here := []v1alpha1.LoadBalancerIngressStatus{{IP: f.ip}}
	ingress.Status.InitializeConditions()
	ingress.Status.MarkNetworkConfigured()
	ingress.Status.MarkLoadBalancerReady(here, here)
	ingress.Status.ObservedGeneration = ingress.Generation
	if _, err := f.client.Ingresses(ingress.Namespace).UpdateStatus(ctx, ingress, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("say that %s/%s is ready: %w", ingress.Namespace, ingress.Name, err)
	}
	return nil
}
