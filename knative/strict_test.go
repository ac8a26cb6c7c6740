package knative_test

import (
	"errors"
	"fmt"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	eventingv1 "knative.dev/eventing/pkg/apis/eventing/v1"
	eventingv1alpha1 "knative.dev/eventing/pkg/apis/eventing/v1alpha1"
	sinksv1alpha1 "knative.dev/eventing/pkg/apis/sinks/v1alpha1"
	sourcesv1 "knative.dev/eventing/pkg/apis/sources/v1"
	servingv1 "knative.dev/serving/pkg/apis/serving/v1"
	"sigs.k8s.io/json"
)

// decode reads an object into a Go type and refuses every field that the type
// does not have.
func decode(object *unstructured.Unstructured, into any) error {
	data, err := object.MarshalJSON()
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	strict, err := json.UnmarshalStrict(data, into)
	if err != nil {
		return fmt.Errorf("decode into %T: %w", into, err)
	}
	if err := errors.Join(strict...); err != nil {
		return fmt.Errorf("decode into %T: %w", into, err)
	}
	return nil
}

// decoded is decode for a test that needs the value.
func decoded[T any](t testing.TB, object *unstructured.Unstructured) *T {
	t.Helper()
	into := new(T)
	if err := decode(object, into); err != nil {
		t.Fatalf("%s %s: %v", object.GetKind(), object.GetName(), err)
	}
	return into
}

// goType is the type that the owner of an API reads the object into.
func goType(kind schema.GroupVersionKind) (any, error) {
	switch kind.GroupVersion().String() + " " + kind.Kind {
	case "v1 Namespace":
		return &corev1.Namespace{}, nil
	case "v1 ConfigMap":
		return &corev1.ConfigMap{}, nil
	case "v1 ServiceAccount":
		return &corev1.ServiceAccount{}, nil
	case "networking.k8s.io/v1 NetworkPolicy":
		return &networkingv1.NetworkPolicy{}, nil
	case "rbac.authorization.k8s.io/v1 ClusterRole":
		return &rbacv1.ClusterRole{}, nil
	case "rbac.authorization.k8s.io/v1 Role":
		return &rbacv1.Role{}, nil
	case "rbac.authorization.k8s.io/v1 RoleBinding":
		return &rbacv1.RoleBinding{}, nil
	case "rbac.authorization.k8s.io/v1 ClusterRoleBinding":
		return &rbacv1.ClusterRoleBinding{}, nil
	case "admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy":
		return &admissionregistrationv1.ValidatingAdmissionPolicy{}, nil
	case "admissionregistration.k8s.io/v1 ValidatingAdmissionPolicyBinding":
		return &admissionregistrationv1.ValidatingAdmissionPolicyBinding{}, nil
	case "serving.knative.dev/v1 Service":
		return &servingv1.Service{}, nil
	case "sources.knative.dev/v1 ApiServerSource":
		return &sourcesv1.ApiServerSource{}, nil
	case "sources.knative.dev/v1 ContainerSource":
		return &sourcesv1.ContainerSource{}, nil
	case "sources.knative.dev/v1 PingSource":
		return &sourcesv1.PingSource{}, nil
	case "sources.knative.dev/v1 SinkBinding":
		return &sourcesv1.SinkBinding{}, nil
	case "eventing.knative.dev/v1 Broker":
		return &eventingv1.Broker{}, nil
	case "eventing.knative.dev/v1 Trigger":
		return &eventingv1.Trigger{}, nil
	case "eventing.knative.dev/v1alpha1 EventPolicy":
		return &eventingv1alpha1.EventPolicy{}, nil
	case "sinks.knative.dev/v1alpha1 JobSink":
		return &sinksv1alpha1.JobSink{}, nil
	}
	return nil, fmt.Errorf("no Go type is known for %s: add it, so that it is checked", kind)
}
