package knative_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

const (
	admissionExample   = "examples/admission"
	admissionComponent = "components/admission"
	contractPage       = "../docs/contract.md"
)

// withAdmission builds an overlay with the component and no more.
func withAdmission(t testing.TB, kustomization string) []*unstructured.Unstructured {
	t.Helper()
	files := filesys.MakeFsInMemory()
	copyFiles(t, files, base)
	copyFiles(t, files, admissionComponent)
	text := "resources: [../base]\ncomponents: [../" + admissionComponent + "]\n" + kustomization
	if err := files.WriteFile("/overlay/kustomization.yaml", []byte(text)); err != nil {
		t.Fatalf("write the overlay: %v", err)
	}
	return build(t, files, "/overlay", krusty.ReorderOptionNone)
}

func bindingIn(t testing.TB, objects []*unstructured.Unstructured) *admissionregistrationv1.ValidatingAdmissionPolicyBinding {
	t.Helper()
	return decoded[admissionregistrationv1.ValidatingAdmissionPolicyBinding](t,
		named(t, objects, "ValidatingAdmissionPolicyBinding", "gateway-cert-contract"))
}

func policyIn(t testing.TB, objects []*unstructured.Unstructured) *admissionregistrationv1.ValidatingAdmissionPolicy {
	t.Helper()
	return decoded[admissionregistrationv1.ValidatingAdmissionPolicy](t,
		named(t, objects, "ValidatingAdmissionPolicy", "gateway-cert-contract"))
}

func TestThePolicyDeniesUnlessAnOverlayWantsItToWarn(t *testing.T) {
	for name, tc := range map[string]struct {
		objects []*unstructured.Unstructured
		want    []admissionregistrationv1.ValidationAction
	}{
		"the component": {withAdmission(t, ""), []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny}},
		"the example": {buildOnDisk(t, admissionExample),
			[]admissionregistrationv1.ValidationAction{admissionregistrationv1.Warn, admissionregistrationv1.Audit}},
	} {
		binding := bindingIn(t, tc.objects)
		if diff := cmp.Diff(tc.want, binding.Spec.ValidationActions); diff != "" {
			t.Errorf("%s: actions (-want +got):\n%s", name, diff)
		}
		if policy := policyIn(t, tc.objects); binding.Spec.PolicyName != policy.Name {
			t.Errorf("%s: the binding is for %s, the policy is %s", name, binding.Spec.PolicyName, policy.Name)
		}
	}
}

// A policy that cannot judge must not lock what it guards: the handler copes with
// whatever is written.
func TestThePolicyLetsThroughWhatItCannotJudge(t *testing.T) {
	policy := policyIn(t, withAdmission(t, ""))
	if policy.Spec.FailurePolicy == nil || *policy.Spec.FailurePolicy != admissionregistrationv1.Ignore {
		t.Errorf("failurePolicy is %v", policy.Spec.FailurePolicy)
	}
}

// A subresource is written by controllers.
func TestThePolicyMatchesNoSubresource(t *testing.T) {
	var matched []string
	for _, rule := range policyIn(t, withAdmission(t, "")).Spec.MatchConstraints.ResourceRules {
		matched = append(matched, rule.Resources...)
	}
	slices.Sort(matched)
	if diff := cmp.Diff([]string{"certificates", "gateways", "namespaces"}, matched); diff != "" {
		t.Errorf("resources (-want +got):\n%s", diff)
	}
}

var contractRow = regexp.MustCompile("(?m)^\\| `([a-z-]+)(?:: [^`]*)?` \\| (label|annotation)([^|]*)\\|.*$")

func TestThePolicyJudgesEveryKeyOfTheContract(t *testing.T) {
	var judged strings.Builder
	for _, variable := range policyIn(t, withAdmission(t, "")).Spec.Variables {
		judged.WriteString(variable.Expression)
	}
	rows := contractRow.FindAllStringSubmatch(pageAt(t, contractPage), -1)
	if len(rows) < 14 {
		t.Fatalf("the contract has %d rows of keys: are they written otherwise?", len(rows))
	}
	for _, row := range rows {
		if strings.Contains(row[0], "written by the handler") {
			continue
		}
		if key := row[1]; !strings.Contains(judged.String(), "'"+key+"'") && !strings.Contains(judged.String(), "gateway-cert-operator.io/"+key+"'") {
			t.Errorf("%s is not judged", key)
		}
	}
}
