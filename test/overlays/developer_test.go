package overlays

import (
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

const developer = "developer"

// allowDeveloper gives the rights that docs/deploy.md names.
func allowDeveloper(t *testing.T) {
	t.Helper()
	client, err := kubernetes.NewForConfig(system.Config())
	namespace.Must(t, err)
	verbs := []string{"get", "create", "patch"}
	_, err = client.RbacV1().Roles(stack.Namespace).Create(t.Context(), &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Name: developer},
		Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{"serviceaccounts"}, Verbs: verbs},
			{APIGroups: []string{"serving.knative.dev"}, Resources: []string{"services"}, Verbs: verbs},
			{APIGroups: []string{"sources.knative.dev"}, Resources: []string{"apiserversources", "containersources", "pingsources"}, Verbs: verbs},
		},
	}, metav1.CreateOptions{})
	namespace.Must(t, err)
	_, err = client.RbacV1().RoleBindings(stack.Namespace).Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: developer},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: developer},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: developer}},
	}, metav1.CreateOptions{})
	namespace.Must(t, err)
}

func applyAsDeveloper(t *testing.T, example string) error {
	t.Helper()
	_, err := system.Kubectl(t.Context(), "", "apply", "--as="+developer, "--dry-run=server", "-k", "../../knative/examples/"+example)
	return err
}

func TestADeveloperNeedsNoRightsOnTheCluster(t *testing.T) {
	allowDeveloper(t)
	if err := applyAsDeveloper(t, "operatorless-dev"); err != nil {
		t.Error(err)
	}
	if err := applyAsDeveloper(t, "overlay"); err == nil || !strings.Contains(err.Error(), "clusterroles") {
		t.Errorf("without the component a developer is told %v, want that ClusterRoles are not theirs", err)
	}
}
