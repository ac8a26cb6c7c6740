package rights

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

const (
	// patience is how long the API server may take to know of a change; it takes a
	// fraction of a second on a quiet machine.
	patience = 20 * time.Second
	pollEach = 20 * time.Millisecond
)

// User is somebody on an API server. What fails ends the test.
type User struct {
	// Config is the admin's.
	Config *rest.Config
	// Name is how the API server calls the user.
	Name string
}

// Grant gives a user who has none these rights, and returns when they hold. They
// stay until the API server goes.
func (u User) Grant(tb testing.TB, rights []Right) {
	tb.Helper()
	in := map[string][]Right{}
	for _, r := range rights {
		in[r.Namespace] = append(in[r.Namespace], r)
	}
	for name, rights := range in {
		u.bind(tb, name, join(rights))
	}
	for _, r := range rights {
		u.await(tb, r, true)
	}
}

// bind gives the user rules in a namespace, or in all if its name is empty.
func (u User) bind(tb testing.TB, in string, rules []rbacv1.PolicyRule) {
	tb.Helper()
	client, err := kubernetes.NewForConfig(u.Config)
	namespace.Must(tb, err)
	rbac, ctx := client.RbacV1(), tb.Context()
	meta := metav1.ObjectMeta{Name: u.Name + "." + in}
	role, err := rbac.ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: meta, Rules: rules}, metav1.CreateOptions{})
	namespace.Must(tb, err)
	of := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name}
	to := []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: u.Name}}
	if in == "" {
		_, err = rbac.ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{ObjectMeta: meta, RoleRef: of, Subjects: to}, metav1.CreateOptions{})
	} else {
		_, err = rbac.RoleBindings(in).Create(ctx, &rbacv1.RoleBinding{ObjectMeta: meta, RoleRef: of, Subjects: to}, metav1.CreateOptions{})
	}
	namespace.Must(tb, err)
}

// Take takes a right away from the role that has it, and returns when the user
// lacks it. The end of the test gives it back.
func (u User) Take(tb testing.TB, taken Right) {
	tb.Helper()
	client, err := kubernetes.NewForConfig(u.Config)
	namespace.Must(tb, err)
	resource := "roles"
	if taken.Namespace == "" {
		resource = "clusterroles"
	}
	role := roleClient{client.RbacV1().RESTClient(), resource, taken}
	before := role.rules(tb)
	tb.Cleanup(func() {
		role.change(tb, before)
		u.await(tb, taken, true)
	})
	rights, err := split(taken.Role, taken.Namespace, before)
	namespace.Must(tb, err)
	role.change(tb, join(Without(rights, taken)))
	u.await(tb, taken, false)
}

// await waits until the API server knows whether the user has a right, which it
// learns of by a watch.
func (u User) await(tb testing.TB, right Right, want bool) {
	tb.Helper()
	client, err := kubernetes.NewForConfig(u.Config)
	namespace.Must(tb, err)
	ctx := context.WithoutCancel(tb.Context())
	err = wait.PollUntilContextTimeout(ctx, pollEach, patience, true, func(ctx context.Context) (bool, error) {
		review, err := client.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{
			Spec: authorizationv1.SubjectAccessReviewSpec{User: u.Name, ResourceAttributes: right.attributes()},
		}, metav1.CreateOptions{})
		return err == nil && review.Status.Allowed == want, err
	})
	if err != nil {
		tb.Fatalf("that %s may %s is %t still: %v", u.Name, right, !want, err)
	}
}

// roleClient reads and writes the role of a right, of whichever kind.
type roleClient struct {
	rest     rest.Interface
	resource string
	of       Right
}

func (r roleClient) rules(tb testing.TB) []rbacv1.PolicyRule {
	tb.Helper()
	text, err := r.rest.Get().NamespaceIfScoped(r.of.Namespace, r.of.Namespace != "").
		Resource(r.resource).Name(r.of.Role).DoRaw(tb.Context())
	namespace.Must(tb, err)
	var role struct{ Rules []rbacv1.PolicyRule }
	namespace.Must(tb, json.Unmarshal(text, &role))
	return role.Rules
}

func (r roleClient) change(tb testing.TB, rules []rbacv1.PolicyRule) {
	tb.Helper()
	patch, err := json.Marshal(map[string]any{"rules": rules})
	namespace.Must(tb, err)
	// Also when the test has ended.
	namespace.Must(tb, r.rest.Patch(types.MergePatchType).NamespaceIfScoped(r.of.Namespace, r.of.Namespace != "").
		Resource(r.resource).Name(r.of.Role).Body(patch).Do(context.WithoutCancel(tb.Context())).Error())
}
