package cluster_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/trace/noop"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
	gatewayclient "sigs.k8s.io/gateway-api/pkg/client/clientset/versioned/typed/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// createGrant lets Gateways of elsewhere use Secrets of this namespace.
func (l *live) createGrant(t *testing.T) *gatewayv1.ReferenceGrant {
	t.Helper()
	client, err := gatewayclient.NewForConfig(plane.Config())
	namespace.Must(t, err)
	grant, err := client.ReferenceGrants(l.user.Name).Create(t.Context(), &gatewayv1.ReferenceGrant{
		ObjectMeta: metav1.ObjectMeta{Name: "gateways"},
		Spec: gatewayv1.ReferenceGrantSpec{
			From: []gatewayv1.ReferenceGrantFrom{{Group: gatewayv1.GroupName, Kind: "Gateway", Namespace: "elsewhere"}},
			To:   []gatewayv1.ReferenceGrantTo{{Kind: "Secret"}},
		},
	}, metav1.CreateOptions{})
	namespace.Must(t, err)
	return grant
}

// grantIn returns the spec of the one grant in the namespace.
func grantIn(t *testing.T, c *cluster.Cluster, in string) gatewayv1.ReferenceGrantSpec {
	t.Helper()
	grants, err := c.ReferenceGrants(t.Context())
	namespace.Must(t, err)
	for _, grant := range grants {
		if grant.Namespace == in && grant.Name == "gateways" {
			return grant.Spec
		}
	}
	t.Fatalf("no grant in %s among %d", in, len(grants))
	return gatewayv1.ReferenceGrantSpec{}
}

// unserving asks the API server for versions that it has not got instead of
// these, so that it answers as one that does not serve them.
type unserving struct {
	next     http.RoundTripper
	versions []string
}

func (u unserving) RoundTrip(r *http.Request) (*http.Response, error) {
	for _, version := range u.versions {
		path := "/apis/" + gatewayv1.GroupName + "/" + version + "/referencegrants"
		if r.URL.Path == path {
			r = r.Clone(r.Context())
			r.URL.Path = strings.Replace(path, version, version+"alpha0", 1)
		}
	}
	return u.next.RoundTrip(r)
}

func newUnserving(t *testing.T, versions ...string) *cluster.Cluster {
	t.Helper()
	config := plane.Config()
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return unserving{next, versions} })
	c, err := cluster.New(config, noop.NewTracerProvider())
	namespace.Must(t, err)
	return c
}

func TestTheReferenceGrantsOfAllNamespacesAreListed(t *testing.T) {
	first, second := newLive(t), newLive(t)
	for _, l := range []*live{first, second} {
		want := l.createGrant(t).Spec
		if diff := cmp.Diff(want, grantIn(t, second.Cluster, l.user.Name)); diff != "" {
			t.Errorf("grant in %s (-want +got):\n%s", l.user.Name, diff)
		}
	}
}

func TestReferenceGrantsOfAnOlderGatewayAPIAreListed(t *testing.T) {
	l := newLive(t)
	want := l.createGrant(t).Spec
	if diff := cmp.Diff(want, grantIn(t, newUnserving(t, "v1"), l.user.Name)); diff != "" {
		t.Errorf("grant (-want +got):\n%s", diff)
	}
}

func TestWhereReferenceGrantsAreNotServedThereAreNone(t *testing.T) {
	newLive(t).createGrant(t)
	grants, err := newUnserving(t, "v1", "v1beta1").ReferenceGrants(t.Context())
	if err != nil || grants != nil {
		t.Errorf("ReferenceGrants = %v, %v; want none", grants, err)
	}
}

func TestReferenceGrantsThatMayNotBeReadAreAnError(t *testing.T) {
	nobody := as(t, rest.ImpersonationConfig{UserName: "nobody-in-particular"})
	if grants, err := nobody.ReferenceGrants(t.Context()); !apierrors.IsForbidden(err) {
		t.Errorf("ReferenceGrants = %v, %v; want Forbidden", grants, err)
	}
}
