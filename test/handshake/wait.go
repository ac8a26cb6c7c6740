package handshake

import (
	"context"
	"errors"
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
)

// until returns when an object that is watched is as wanted.
func until(ctx context.Context, objects watch.Interface, wanted func(runtime.Object) bool) error {
	for {
		select {
		case event, open := <-objects.ResultChan():
			switch {
			case !open:
				return errors.New("the watch has ended")
			case event.Type == watch.Error:
				return apierrors.FromObject(event.Object)
			case wanted(event.Object):
				return nil
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func isIssued(object runtime.Object) bool {
	certificate, ok := object.(*certmanagerv1.Certificate)
	if !ok {
		return false
	}
	for _, condition := range certificate.Status.Conditions {
		if condition.Type == certmanagerv1.CertificateConditionReady {
			return condition.Status == cmmeta.ConditionTrue
		}
	}
	return false
}

// isProgrammed tells of the listener with the journey's hostname.
func (j Journey) isProgrammed(object runtime.Object) bool {
	gateway, ok := object.(*gatewayv1.Gateway)
	if !ok {
		return false
	}
	var name gatewayv1.SectionName
	for _, listener := range gateway.Spec.Listeners {
		if listener.Hostname != nil && string(*listener.Hostname) == j.hostname() {
			name = listener.Name
		}
	}
	for _, status := range gateway.Status.Listeners {
		if status.Name == name {
			return meta.IsStatusConditionTrue(status.Conditions, string(gatewayv1.ListenerConditionProgrammed))
		}
	}
	return false
}

func (j Journey) hostname() string { return j.Certificate.Spec.DNSNames[0] }

// shake returns when a client is served a certificate that it believes.
func (j Journey) shake(ctx context.Context) error {
	for {
		_, err := j.Client.Handshake(ctx, j.hostname())
		if err == nil {
			return nil
		}
		select {
		case <-time.After(handshakeEach):
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		}
	}
}

// told returns what the trace tells of the run that wrote the Gateway.
func (j Journey) told(ctx context.Context, began time.Time) ([]Stage, error) {
	if j.Trace == nil {
		return nil, nil
	}
	var event, patch collector.Span
	_, err := j.Trace(ctx, func(trace collector.Trace) bool {
		run, _ := trace.Find("reconcile gateway")
		var answered, patched bool
		event, answered = trace.Find("POST /")
		patch, patched = trace.Find("PATCH gateways")
		return answered && patched && patch.End.After(began) &&
			run.Attributes["k8s.namespace.name"] == j.Gateway.Namespace && run.Attributes["gateway_cert.gateway.name"] == j.Gateway.Name
	})
	if err != nil {
		return nil, err
	}
	return []Stage{{Arrived, event.Start.Sub(began)}, {Patched, patch.End.Sub(began)}}, nil
}
