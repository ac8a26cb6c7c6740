package cluster_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// withRightsOfManifest returns the cluster as someone sees it who has the rules
// of the handler's ClusterRole and no other rights.
func (l *live) withRightsOfManifest(t *testing.T) *cluster.Cluster {
	t.Helper()
	manifest, err := os.ReadFile("../../knative/base/handler-rbac.yaml")
	namespace.Must(t, err)
	var role rbacv1.ClusterRole // the first document
	namespace.Must(t, yaml.Unmarshal(manifest, &role))
	role.Name = l.user.Name
	client, err := kubernetes.NewForConfig(plane.Config())
	namespace.Must(t, err)
	rbac, after := client.RbacV1(), context.WithoutCancel(t.Context())
	_, err = rbac.ClusterRoles().Create(t.Context(), &role, metav1.CreateOptions{})
	namespace.Must(t, err)
	t.Cleanup(func() { namespace.Must(t, rbac.ClusterRoles().Delete(after, role.Name, metav1.DeleteOptions{})) })
	_, err = rbac.ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: role.Name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: role.Name}},
	}, metav1.CreateOptions{})
	namespace.Must(t, err)
	t.Cleanup(func() { namespace.Must(t, rbac.ClusterRoleBindings().Delete(after, role.Name, metav1.DeleteOptions{})) })
	return as(t, rest.ImpersonationConfig{UserName: role.Name})
}

func TestTheRightsInTheManifestAreEnoughForAllThatIsDone(t *testing.T) {
	l := newLive(t)
	gateway := l.createGateway(nil)
	handler := l.withRightsOfManifest(t)
	// The API server learns of new rights by a watch.
	namespace.Must(t, wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, 10*time.Second, true, func(ctx context.Context) (bool, error) {
		_, err := handler.Gateway(ctx, l.edge())
		return !apierrors.IsForbidden(err), nil
	}))
	p := planFor(gateway, "a.example.com")
	write := func() error { _, err := handler.Write(t.Context(), gateway, p); return err }
	tell := func() error { return handler.Record(t.Context(), l.about("app", "x")) }
	for what, do := range map[string]func() error{
		"read a Gateway":          func() error { _, err := handler.Gateway(t.Context(), l.edge()); return err },
		"list Gateways":           func() error { _, err := handler.ManagedGateways(t.Context()); return err },
		"list Certificates":       func() error { _, err := handler.CertificatesOf(t.Context(), l.query("")); return err },
		"list ReferenceGrants":    func() error { _, err := handler.ReferenceGrants(t.Context()); return err },
		"read Namespaces":         func() error { _, err := handler.Namespaces(t.Context(), []string{l.user.Name}); return err },
		"try and write a Gateway": func() error { return errors.Join(handler.Try(t.Context(), gateway, p), write()) },
		"record an Event twice":   func() error { return errors.Join(tell(), tell()) },
	} {
		if err := do(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}
