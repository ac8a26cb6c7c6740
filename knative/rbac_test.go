package knative_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	certificates     = "cert-manager.io certificates"
	kubernetesEvents = "events.k8s.io events"
	gateways         = "gateway.networking.k8s.io gateways"
	namespaces       = " namespaces" // of the core group, whose name is empty
	referenceGrants  = "gateway.networking.k8s.io referencegrants"
)

// rights is what the ClusterRoles of the objects allow: role, then resource,
// then verbs in order.
func rights(t testing.TB, objects []*unstructured.Unstructured) map[string]map[string][]string {
	t.Helper()
	all := map[string]map[string][]string{}
	for _, object := range objects {
		if object.GetKind() != "ClusterRole" {
			continue
		}
		role := decoded[rbacv1.ClusterRole](t, object)
		allowed := map[string][]string{}
		for _, rule := range role.Rules {
			if len(rule.NonResourceURLs) > 0 || len(rule.ResourceNames) > 0 || role.AggregationRule != nil {
				t.Errorf("ClusterRole %s: a rule of a sort that this test does not weigh: %v", role.Name, rule)
			}
			for _, group := range rule.APIGroups {
				for _, resource := range rule.Resources {
					key := group + " " + resource
					allowed[key] = append(allowed[key], rule.Verbs...)
					slices.Sort(allowed[key])
				}
			}
		}
		all[role.Name] = allowed
	}
	return all
}

// Equality, so that neither a Secret, nor a wildcard, nor a verb more can come
// in unseen; the tests on the real API server show that it is not too little.
func TestRightsAreExactlyThese(t *testing.T) {
	want := map[string]map[string][]string{
		"gateway-cert-handler": {
			certificates:     {"list"},
			kubernetesEvents: {"create", "get", "patch"},
			gateways:         {"get", "list", "patch"},
			namespaces:       {"get", "list"},
			referenceGrants:  {"list"},
		},
		"gateway-cert-source": {
			certificates: {"get", "list", "watch"},
			gateways:     {"list", "watch"},
		},
	}
	for _, dir := range directories {
		want["gateway-cert-source"][certificates] = []string{"get", "list", "watch"}
		if hasSingleSource(dir) {
			want["gateway-cert-source"][certificates] = []string{"list", "watch"}
		}
		delete(want, "gateway-cert-handler-auth")
		if dir == authExample || dir == brokerAuthExample {
			want["gateway-cert-handler-auth"] = map[string][]string{tokenReviews: {"create"}}
		}
		if dir == developerExample {
			continue // its ClusterRoles are an administrator's, see developer_test.go
		}
		if diff := cmp.Diff(want, rights(t, buildOnDisk(t, dir))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", dir, diff)
		}
	}
}

// No Role, no binding to a role of the cluster such as cluster-admin, and
// nobody else among the subjects.
func TestEachAccountIsBoundToItsOwnRoleAlone(t *testing.T) {
	objects := buildOnDisk(t, base)
	bound := map[string]string{}
	for _, object := range objects {
		switch object.GetKind() {
		case "Role", "RoleBinding":
			t.Errorf("%s %s is not weighed by any test", object.GetKind(), object.GetName())
		case "ClusterRoleBinding":
			binding := decoded[rbacv1.ClusterRoleBinding](t, object)
			for _, subject := range binding.Subjects {
				bound[subject.Kind+" "+subject.Namespace+"/"+subject.Name] += binding.RoleRef.Kind + " " + binding.RoleRef.Name
			}
		}
	}
	want := map[string]string{
		"ServiceAccount gateway-cert/gateway-cert-handler": "ClusterRole gateway-cert-handler",
		"ServiceAccount gateway-cert/gateway-cert-source":  "ClusterRole gateway-cert-source",
	}
	if diff := cmp.Diff(want, bound); diff != "" {
		t.Errorf("bound (-want +got):\n%s", diff)
	}
	for _, account := range []string{"gateway-cert-handler", "gateway-cert-source"} {
		named(t, objects, "ServiceAccount", account)
	}
}
