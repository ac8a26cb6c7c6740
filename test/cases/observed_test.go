package cases

import (
	"context"
	"sync/atomic"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// observed is the real cluster, with a count of what is sent to write a Gateway.
type observed struct {
	*cluster.Cluster
	writes, tries atomic.Int64
	// beforeWrite is called once, before the next write.
	beforeWrite atomic.Pointer[func()]
	// askedFor is the resourceVersion of the last look for Certificates.
	askedFor atomic.Pointer[string]
}

func (o *observed) CertificatesOf(ctx context.Context, query cluster.CertificateQuery) (*certmanagerv1.CertificateList, error) {
	o.askedFor.Store(&query.NotOlderThan)
	return o.Cluster.CertificatesOf(ctx, query)
}

func (o *observed) Write(ctx context.Context, gateway *gatewayv1.Gateway, p plan.Plan) (*gatewayv1.Gateway, error) {
	if before := o.beforeWrite.Swap(nil); before != nil {
		(*before)()
	}
	o.writes.Add(1)
	return o.Cluster.Write(ctx, gateway, p)
}

func (o *observed) Try(ctx context.Context, gateway *gatewayv1.Gateway, p plan.Plan) error {
	o.tries.Add(1)
	return o.Cluster.Try(ctx, gateway, p)
}
