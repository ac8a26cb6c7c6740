package config

import (
	"errors"
	"fmt"
	"strings"

	"gateway-cert-operator.io/gateway-cert-handler/config/policytest"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// maxTests bounds how long it takes to read settings.
const maxTests = 100

// testFault is what is wrong with one of the tests, or what it has found.
type testFault struct {
	index int
	err   error
}

func (f testFault) Error() string { return fmt.Sprintf("tests[%d]: %v", f.index, f.err) }

func (f testFault) Unwrap() error { return f.err }

// validateTests returns every reason for which tests cannot be run.
func validateTests(tests []policytest.Test) error {
	if len(tests) > maxTests {
		return fmt.Errorf("tests has %d entries, and at most %d are taken", len(tests), maxTests)
	}
	var faults []error
	names := map[string]bool{}
	for i, test := range tests {
		if err := test.Validate(); err != nil {
			faults = append(faults, testFault{i, err})
		}
		if names[test.Name] && test.Name != "" {
			faults = append(faults, testFault{i, fmt.Errorf("another test is called %q too", test.Name)})
		}
		names[test.Name] = true
	}
	return errors.Join(faults...)
}

// runTests returns every test that the settings fail.
func runTests(tests []policytest.Test, defaults plan.Defaults) error {
	var faults []error
	for i, test := range tests {
		if diff := test.Diff(defaults); diff != "" {
			faults = append(faults, testFault{i, fmt.Errorf("%q does not hold (- wanted and missing, + there and not wanted):\n%s", test.Name, indented(diff))})
		}
	}
	return errors.Join(faults...)
}

func indented(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }
