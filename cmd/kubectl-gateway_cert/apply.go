package main

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// fieldManager is the name under which managedFields lists what was written.
const fieldManager = "kubectl-gateway_cert"

// errOutdated is a guard that has failed.
var errOutdated = errors.New("it has changed since it was read; run the command again")

// apply does what the report says is to be done, and notes in it what has been.
// What fails keeps nothing else from being done.
//
// Listeners come first: a handler that runs already writes to a Gateway as soon
// as there are labels, and then it would not be the one that was read any more.
func (s *server) apply(ctx context.Context, gateways []gatewayv1.Gateway, r *report) error {
	var errs []error
	for i := range gateways {
		if of := r.gateway(plan.NameOf(&gateways[i])); of != nil {
			errs = append(errs, s.removeStale(ctx, &gateways[i], of))
		}
	}
	for _, of := range r.Gateways {
		for i := range of.Certificates {
			errs = append(errs, s.label(ctx, &of.Certificates[i]))
		}
	}
	return errors.Join(errs...)
}

func (s *server) removeStale(ctx context.Context, gateway *gatewayv1.Gateway, of *gatewayReport) error {
	names := of.stale()
	if len(names) == 0 {
		return nil
	}
	name := plan.NameOf(gateway)
	body, err := removalOf(gateway, names)
	if err != nil {
		return fmt.Errorf("encode the patch of Gateway %s: %w", name, err)
	}
	_, err = s.gateways.Gateways(name.Namespace).Patch(ctx, name.Name, types.JSONPatchType, body, metav1.PatchOptions{FieldManager: fieldManager})
	if err != nil {
		return fmt.Errorf("remove stale listeners of Gateway %s: %w", name, s.whyNotRemoved(ctx, gateway, err))
	}
	of.removed()
	return nil
}

// whyNotRemoved tells a failed guard from a refusal; the API server's answer to
// both is 422 (Invalid).
func (s *server) whyNotRemoved(ctx context.Context, gateway *gatewayv1.Gateway, err error) error {
	if !apierrors.IsInvalid(err) {
		return err
	}
	now, readErr := s.cluster.Gateway(ctx, plan.NameOf(gateway))
	if readErr == nil && now.UID == gateway.UID && now.ResourceVersion == gateway.ResourceVersion {
		return err
	}
	return fmt.Errorf("%w (%w)", errOutdated, err)
}

func (s *server) label(ctx context.Context, c *certificateReport) error {
	if c.State != stateToLabel {
		return nil
	}
	body, err := labellingOf(c.resourceVersion, c.Labels)
	if err != nil {
		return fmt.Errorf("encode the patch of Certificate %s/%s: %w", c.Namespace, c.Name, err)
	}
	_, err = s.certificates.Certificates(c.Namespace).Patch(ctx, c.Name, types.MergePatchType, body, metav1.PatchOptions{FieldManager: fieldManager})
	switch {
	case apierrors.IsConflict(err):
		return fmt.Errorf("label Certificate %s/%s: %w (%w)", c.Namespace, c.Name, errOutdated, err)
	case err != nil:
		return fmt.Errorf("label Certificate %s/%s: %w", c.Namespace, c.Name, err)
	}
	c.State = stateLabelled
	return nil
}
