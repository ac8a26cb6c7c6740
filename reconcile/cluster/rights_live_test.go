package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
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

// right is one verb of a rule.
type right struct{ group, resource, verb string }

func (r right) String() string { return r.verb + " " + r.resource }

// rightsOfManifest are those of the handler's ClusterRole.
func rightsOfManifest(t *testing.T) []right {
	t.Helper()
	manifest, err := os.ReadFile("../../knative/base/handler-rbac.yaml")
	namespace.Must(t, err)
	var role rbacv1.ClusterRole // the first document
	namespace.Must(t, yaml.Unmarshal(manifest, &role))
	var rights []right
	for _, rule := range role.Rules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					rights = append(rights, right{group, resource, verb})
				}
			}
		}
	}
	return rights
}

// withRights returns the cluster as someone sees it who has these rights and no
// others.
func (l *live) withRights(t *testing.T, rights []right) *cluster.Cluster {
	t.Helper()
	role := rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: l.user.Name}}
	for _, r := range rights {
		role.Rules = append(role.Rules, rbacv1.PolicyRule{APIGroups: []string{r.group}, Resources: []string{r.resource}, Verbs: []string{r.verb}})
	}
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
	awaitRights(t, client, role.Name, rights)
	return as(t, rest.ImpersonationConfig{UserName: role.Name})
}

// awaitRights waits until the API server knows the rights, which it learns of by a
// watch.
func awaitRights(t *testing.T, client kubernetes.Interface, user string, rights []right) {
	t.Helper()
	for _, r := range rights {
		namespace.Must(t, wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, 10*time.Second, true, func(ctx context.Context) (bool, error) {
			review, err := client.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{
				Spec: authorizationv1.SubjectAccessReviewSpec{User: user, ResourceAttributes: &authorizationv1.ResourceAttributes{
					Group: r.group, Resource: r.resource, Verb: r.verb,
				}},
			}, metav1.CreateOptions{})
			return err == nil && review.Status.Allowed, err
		}))
	}
}

// allThatIsDone does everything that the handler does, and returns what failed.
func (l *live) allThatIsDone(t *testing.T, handler *cluster.Cluster) map[string]error {
	t.Helper()
	gateway := l.createGateway(nil)
	p := planFor(gateway, "a.example.com")
	write := func() error { _, err := handler.Write(t.Context(), gateway, p); return err }
	tell := func() error { return handler.Record(t.Context(), l.about("app", "x")) }
	var many []string // more than are read one by one
	for i := range 40 {
		many = append(many, fmt.Sprintf("%s-%d", l.user.Name, i))
	}
	failed := map[string]error{}
	for what, do := range map[string]func() error{
		"read a Gateway":          func() error { _, err := handler.Gateway(t.Context(), l.edge()); return err },
		"list Gateways":           func() error { _, err := handler.ManagedGateways(t.Context()); return err },
		"list Certificates":       func() error { _, err := handler.CertificatesOf(t.Context(), l.query("")); return err },
		"list ReferenceGrants":    func() error { _, err := handler.ReferenceGrants(t.Context()); return err },
		"read Namespaces":         func() error { _, err := handler.Namespaces(t.Context(), []string{l.user.Name}); return err },
		"read many Namespaces":    func() error { _, err := handler.Namespaces(t.Context(), many); return err },
		"try and write a Gateway": func() error { return errors.Join(handler.Try(t.Context(), gateway, p), write()) },
		"record an Event twice":   func() error { return errors.Join(tell(), tell()) },
	} {
		if err := do(); err != nil {
			failed[what] = err
		}
	}
	return failed
}

func TestTheRightsInTheManifestAreEnoughForAllThatIsDone(t *testing.T) {
	l := newLive(t)
	for what, err := range l.allThatIsDone(t, l.withRights(t, rightsOfManifest(t))) {
		t.Errorf("%s: %v", what, err)
	}
}

// Whatever is taken away is missed: by one thing that is done, and by no other.
func TestEachRightInTheManifestIsNeeded(t *testing.T) {
	rights := rightsOfManifest(t)
	for i, taken := range rights {
		t.Run(taken.String(), func(t *testing.T) {
			t.Parallel()
			l := newLive(t)
			failed := l.allThatIsDone(t, l.withRights(t, slices.Delete(slices.Clone(rights), i, i+1)))
			for what, err := range failed {
				if !apierrors.IsForbidden(err) {
					t.Errorf("%s: %v, want Forbidden", what, err)
				}
			}
			if len(failed) != 1 {
				t.Errorf("without it %d things fail, want one: %v", len(failed), failed)
			}
		})
	}
}
