package overlays

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

const (
	sourceRole = "gateway-cert-source"
	sourceUser = "system:serviceaccount:" + stack.Namespace + ":gateway-cert-source"

	// adapterSays is how long an adapter may take to watch, or to be refused.
	adapterSays = time.Minute
)

var errRefused = errors.New("the adapter was refused")

// Of Certificates an ApiServerSource needs one right more, which package knative
// holds to Knative's source.
func TestTheAdapterNeedsEachRight(t *testing.T) {
	client, err := kubernetes.NewForConfig(system.Config())
	namespace.Must(t, err)
	role, err := client.RbacV1().ClusterRoles().Get(t.Context(), sourceRole, metav1.GetOptions{})
	namespace.Must(t, err)
	t.Cleanup(func() { change(t, singleSource) })
	withoutStreaming(t)
	for i, rule := range role.Rules {
		for j, verb := range rule.Verbs {
			taken := authorizationv1.ResourceAttributes{Group: rule.APIGroups[0], Resource: rule.Resources[0], Verb: verb}
			t.Run(taken.Verb+" "+taken.Resource, func(t *testing.T) {
				rules := slices.Clone(role.Rules)
				rules[i].Verbs = slices.Delete(slices.Clone(rule.Verbs), j, j+1)
				namespace.Must(t, system.StopAdapters())
				allow(t, client, rules)
				await(t, client, taken)
				if err := startRefused(taken); !errors.Is(err, errRefused) {
					t.Errorf("without it no adapter is refused: %v", err)
				}
			})
		}
	}
}

// allow gives the sources' account these rights.
func allow(t *testing.T, client kubernetes.Interface, rules []rbacv1.PolicyRule) {
	t.Helper()
	role, err := client.RbacV1().ClusterRoles().Get(t.Context(), sourceRole, metav1.GetOptions{})
	namespace.Must(t, err)
	role.Rules = rules
	_, err = client.RbacV1().ClusterRoles().Update(t.Context(), role, metav1.UpdateOptions{})
	namespace.Must(t, err)
}

// await waits until the API server knows that the right is taken, which it learns
// of by a watch.
func await(t *testing.T, client kubernetes.Interface, taken authorizationv1.ResourceAttributes) {
	t.Helper()
	namespace.Must(t, wait.PollUntilContextTimeout(t.Context(), pollEach, patience, true, func(ctx context.Context) (bool, error) {
		review, err := client.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{
			Spec: authorizationv1.SubjectAccessReviewSpec{User: sourceUser, ResourceAttributes: &taken},
		}, metav1.CreateOptions{})
		return err == nil && !review.Status.Allowed, err
	}))
}

// startRefused starts the adapters and returns errRefused when one is refused what
// was taken. It may be so only once it has listed what there is.
func startRefused(taken authorizationv1.ResourceAttributes) error {
	ctx, cancel := context.WithTimeout(system.ctx, adapterSays)
	defer cancel()
	ctx, refuse := context.WithCancelCause(ctx)
	defer refuse(nil)
	system.log.onLine(func() { refuse(errRefused) },
		taken.Resource+"."+taken.Group+" is forbidden", "cannot "+taken.Verb+" resource")
	defer system.log.onLine(nil)
	if err := system.StartAdapters(ctx); err != nil {
		return err
	}
	<-ctx.Done()
	return context.Cause(ctx)
}

// withoutStreaming has the adapter list by LIST, as it does with an API server that
// does not stream lists: one that does is asked for a watch alone.
func withoutStreaming(t *testing.T) {
	t.Helper()
	_, err := system.Kubectl(t.Context(), "", "patch", "containersource", "gateways", "-n", stack.Namespace, "--type=json",
		"-p", `[{"op": "add", "path": "/spec/template/spec/containers/0/env/-", "value": {"name": "KUBE_FEATURE_WatchListClient", "value": "false"}}]`)
	namespace.Must(t, err)
}
