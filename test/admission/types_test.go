package admission

import (
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/cel/openapi/resolver"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/restmapper"

	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// warnings are what Kubernetes' controller manager, which does not run here,
// would write into the policy's status.typeChecking.
func warnings(t *testing.T, mutate func(*admissionregistrationv1.ValidatingAdmissionPolicy)) (all []string) {
	t.Helper()
	policy, _, err := readPolicy()
	namespace.Must(t, err)
	mutate(policy)
	client, err := discovery.NewDiscoveryClientForConfig(plane.Config())
	namespace.Must(t, err)
	checker := &validating.TypeChecker{
		SchemaResolver: &resolver.ClientDiscoveryResolver{Discovery: client},
		RestMapper:     restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client)),
	}
	for _, warning := range checker.Check(policy) {
		all = append(all, warning.FieldRef+": "+warning.Warning)
	}
	return all
}

func TestTheTypesInThePolicyFit(t *testing.T) {
	found := warnings(t, func(*admissionregistrationv1.ValidatingAdmissionPolicy) {})
	for _, warning := range found {
		t.Error(warning)
	}
}

func TestAFieldThatAKindDoesNotHaveIsSeen(t *testing.T) {
	for field, kinds := range map[string][]string{
		"object.metadata.anotations.size() == 0":  {"Certificate", "Gateway", "Namespace"},
		"object.spec.gatewayClassName != 'other'": {"Certificate", "Namespace"},
	} {
		t.Run(field, func(t *testing.T) {
			found := strings.Join(warnings(t, func(p *admissionregistrationv1.ValidatingAdmissionPolicy) {
				p.Spec.Validations = append(p.Spec.Validations, admissionregistrationv1.Validation{Expression: field})
			}), "\n")
			for _, kind := range kinds {
				if !strings.Contains(found, "Kind="+kind+":") {
					t.Errorf("no warning for a %s in:\n%s", kind, found)
				}
			}
		})
	}
}
