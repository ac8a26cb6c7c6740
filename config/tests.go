package config

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"gateway-cert-operator.io/gateway-cert-handler/config/policytest"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// maxTests bounds how long it takes to read settings.
const maxTests = 100

// validateTests returns every reason for which tests cannot be run.
func validateTests(at *field.Path, tests []policytest.Test) (faults field.ErrorList) {
	if len(tests) > maxTests {
		return field.ErrorList{field.TooMany(at, len(tests), maxTests)}
	}
	names := map[string]bool{}
	for i, test := range tests {
		faults = append(faults, test.Validate(at.Index(i))...)
		if names[test.Name] && test.Name != "" {
			faults = append(faults, field.Duplicate(at.Index(i).Child("name"), test.Name))
		}
		names[test.Name] = true
	}
	return faults
}

// runTests returns what the settings do otherwise than their tests say, each thing
// by itself.
func runTests(at *field.Path, tests []policytest.Test, defaults plan.Defaults) (found []finding) {
	for i, test := range tests {
		diff := test.Diff(defaults)
		if diff == "" {
			continue
		}
		for line := range strings.SplitSeq(diff, "\n") {
			found = append(found, finding{path: at.Index(i).Child("want").String(), message: fmt.Sprintf("%.64q: %s", test.Name, inWords(line))})
		}
	}
	return found
}

// inWords says what a line of a difference means.
func inWords(line string) string {
	if missing, ok := strings.CutPrefix(line, "- "); ok {
		return "the settings do not come to this " + missing
	}
	return "the settings come to a " + strings.TrimPrefix(line, "+ ") + ", which is not wanted"
}
