package main

import (
	"context"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// readers is what a person who may only look at things has, of what the plugin
// reads.
var readers = []rbacv1.PolicyRule{
	{APIGroups: []string{"cert-manager.io"}, Resources: []string{"certificates"}, Verbs: []string{"get", "list"}},
	{APIGroups: []string{"gateway.networking.k8s.io"}, Resources: []string{"gateways", "referencegrants"}, Verbs: []string{"get", "list"}},
	{APIGroups: []string{"events.k8s.io"}, Resources: []string{"events"}, Verbs: []string{"list"}},
	{APIGroups: []string{""}, Resources: []string{"namespaces"}, Verbs: []string{"get", "list"}},
}

// readerOf makes a person who may read all that in these namespaces, or in the
// whole cluster if there are none, and nothing else, and returns the name.
func readerOf(t *testing.T, namespaces ...string) string {
	t.Helper()
	return personWith(t, readers, namespaces...)
}

// personWith is readerOf for other rules. The first must be on Certificates.
func personWith(t *testing.T, rules []rbacv1.PolicyRule, namespaces ...string) string {
	t.Helper()
	client, err := kubernetes.NewForConfig(plane.Config())
	namespace.Must(t, err)
	ctx, after := t.Context(), context.WithoutCancel(t.Context())
	role, err := client.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{GenerateName: "reader-"}, Rules: rules}, metav1.CreateOptions{})
	namespace.Must(t, err)
	t.Cleanup(func() {
		namespace.Must(t, client.RbacV1().ClusterRoles().Delete(after, role.Name, metav1.DeleteOptions{}))
	})
	ref := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name}
	subjects := []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: role.Name}}
	for _, in := range namespaces {
		_, err := client.RbacV1().RoleBindings(in).Create(ctx, &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Name: role.Name}, RoleRef: ref, Subjects: subjects}, metav1.CreateOptions{})
		namespace.Must(t, err)
		knowsOf(t, client, role, in)
	}
	if len(namespaces) > 0 {
		return role.Name
	}
	_, err = client.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: role.Name}, RoleRef: ref, Subjects: subjects}, metav1.CreateOptions{})
	namespace.Must(t, err)
	t.Cleanup(func() {
		namespace.Must(t, client.RbacV1().ClusterRoleBindings().Delete(after, role.Name, metav1.DeleteOptions{}))
	})
	knowsOf(t, client, role, "")
	return role.Name
}

// knowsOf waits until the API server has learned of the rights, by its watch.
func knowsOf(t *testing.T, client kubernetes.Interface, role *rbacv1.ClusterRole, in string) {
	t.Helper()
	namespace.Must(t, wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, 10*time.Second, true, func(ctx context.Context) (bool, error) {
		review, err := client.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User: role.Name, ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: in, Verb: role.Rules[0].Verbs[0], Group: "cert-manager.io", Resource: "certificates"},
		}}, metav1.CreateOptions{})
		return err == nil && review.Status.Allowed, err
	}))
}
