package reconcile_test

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// faulty stands for the API server, to fail on demand: a real one cannot be
// driven to lose every race, or to fail one call in the midst of a run. What a
// working one does is tested against a real one, in cluster and in test/e2e.
type faulty struct {
	gateways     []gatewayv1.Gateway
	certificates []certmanagerv1.Certificate

	writeErrors []error // one a write, the last for all that follow; nil is success
	listErr     error
	managedErr  error
	getErr      error
	listTakes   time.Duration               // of all Gateways, their names or all Certificates
	madeLate    bool                        // the Gateways, after their names have been read once
	hangs       bool                        // LISTs of Certificates never answer
	unseen      []certmanagerv1.Certificate // only the latest LIST has them
	latestErr   error                       // of the latest LIST alone

	refuse        func(plan.Plan) error // of writes and dry runs; nil takes all
	grantsErr     error
	namespacesErr error
	recordErr     error

	mu            sync.Mutex
	recorded      []cluster.Event
	tries         int
	orderAsked    int
	written       plan.Plan // by the last write
	writes, reads int
	askedFor      []string // resourceVersions that CertificatesOf was given
	calls         []string
}

func (f *faulty) Gateway(_ context.Context, name types.NamespacedName) (*gatewayv1.Gateway, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reads++
	f.calls = append(f.calls, "Gateway")
	if f.getErr != nil {
		return nil, f.getErr
	}
	for i := range f.gateways {
		if f.gateways[i].Namespace == name.Namespace && f.gateways[i].Name == name.Name {
			return f.gateways[i].DeepCopy(), nil
		}
	}
	return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "gateways"}, name.Name)
}

func (f *faulty) CertificatesOf(ctx context.Context, query cluster.CertificateQuery) (*certmanagerv1.CertificateList, error) {
	if f.hangs {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	foreign := map[string]struct{}{}
	for _, c := range f.certificates {
		if c.Namespace != query.Gateway.Namespace {
			foreign[c.Namespace] = struct{}{}
		}
	}
	if _, err := query.Admit(ctx, slices.Sorted(maps.Keys(foreign))); err != nil {
		return nil, err
	}
	if query.Latest && f.latestErr != nil {
		return nil, f.latestErr
	}
	if query.Latest {
		return f.list(slices.Concat(f.certificates, f.unseen))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.askedFor = append(f.askedFor, query.NotOlderThan)
	f.calls = append(f.calls, "CertificatesOf")
	return f.list(f.certificates)
}

// list is an answer at the version that all Certificates have reached.
func (f *faulty) list(items []certmanagerv1.Certificate) (*certmanagerv1.CertificateList, error) {
	return &certmanagerv1.CertificateList{ListMeta: metav1.ListMeta{ResourceVersion: "42"}, Items: items}, f.listErr
}

func (f *faulty) LabelledCertificates(context.Context) (*certmanagerv1.CertificateList, error) {
	time.Sleep(f.listTakes)
	return f.list(f.certificates)
}

func (f *faulty) LatestManagedGateways(ctx context.Context) ([]gatewayv1.Gateway, error) {
	time.Sleep(f.listTakes)
	return f.ManagedGateways(ctx)
}

func (f *faulty) GatewayNames(context.Context) (map[types.NamespacedName]bool, error) {
	time.Sleep(f.listTakes)
	names := map[types.NamespacedName]bool{}
	if f.madeLate {
		f.madeLate = false
		return names, f.managedErr
	}
	for i := range f.gateways {
		names[plan.NameOf(&f.gateways[i])] = true
	}
	return names, f.managedErr
}

func (f *faulty) OrdersVersions(context.Context) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.orderAsked++
	return true
}

func (f *faulty) ManagedGateways(context.Context) ([]gatewayv1.Gateway, error) {
	return slices.DeleteFunc(slices.Clone(f.gateways), func(g gatewayv1.Gateway) bool {
		return g.Labels[plan.ManagedKey] != plan.ManagedValue
	}), f.managedErr
}

func (f *faulty) Namespaces(_ context.Context, names []string) (map[string]metav1.ObjectMeta, error) {
	found := map[string]metav1.ObjectMeta{}
	for _, name := range names {
		found[name] = metav1.ObjectMeta{Name: name}
	}
	return found, f.namespacesErr
}

func (f *faulty) ReferenceGrants(context.Context) ([]gatewayv1.ReferenceGrant, error) {
	return nil, f.grantsErr
}

func (f *faulty) Record(_ context.Context, event cluster.Event) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.recorded = append(f.recorded, event)
	return f.recordErr
}

func (f *faulty) Try(_ context.Context, _ *gatewayv1.Gateway, p plan.Plan) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.tries++
	if f.refuse == nil {
		return nil
	}
	return f.refuse(p)
}

func (f *faulty) Write(_ context.Context, gateway *gatewayv1.Gateway, p plan.Plan) (*gatewayv1.Gateway, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.writes++
	f.written = p
	if f.refuse != nil {
		if err := f.refuse(p); err != nil {
			return nil, err
		}
	}
	if len(f.writeErrors) == 0 {
		return gateway, nil
	}
	err := f.writeErrors[0]
	if len(f.writeErrors) > 1 {
		f.writeErrors = f.writeErrors[1:]
	}
	return gateway, err
}
