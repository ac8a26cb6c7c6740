package rules

import (
	"fmt"
	"reflect"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"
)

// maxCost bounds what one answer may cost, in the units of the language's own
// measure, in which a comparison is 1 to 2. Kubernetes lets one expression of a
// ValidatingAdmissionPolicy have 1,000,000; but that asks once for each request,
// and a plan may ask for thousands of hostnames.
const maxCost = 10_000

// maxNesting is how deep loops over lists and maps may stand in each other.
const maxNesting = 2

// environment is what expressions may speak of: the language's standard library,
// optional values, and the three variables. More functions would have to be
// measured first: what those of the extensions cost is not counted.
var environment = sync.OnceValues(func() (*cel.Env, error) {
	env, err := cel.NewEnv(
		cel.OptionalTypes(),
		cel.DefaultUTCTimeZone(true),
		cel.ASTValidators(
			cel.ValidateRegexLiterals(),
			cel.ValidateDurationLiterals(),
			cel.ValidateTimestampLiterals(),
			cel.ValidateHomogeneousAggregateLiterals(),
			cel.ValidateComprehensionNestingLimit(maxNesting),
		),
		ext.NativeTypes(
			ext.ParseStructTags(true),
			reflect.TypeFor[listener](), reflect.TypeFor[certificate](), reflect.TypeFor[gateway](),
		),
		cel.Variable("listener", cel.ObjectType("rules.listener")),
		cel.Variable("certificate", cel.ObjectType("rules.certificate")),
		cel.Variable("gateway", cel.ObjectType("rules.gateway")),
	)
	if err != nil {
		return nil, fmt.Errorf("set up the language of rules: %w", err)
	}
	return env, nil
})
