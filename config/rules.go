package config

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// Rule is a condition that each listener of ours has to meet, on whatever Gateway.
// Each key is required.
type Rule struct {
	// Name is what people see, such as no-tenant-wildcards: a DNS label, of this
	// rule alone.
	Name string `json:"name"`
	// Expression must be true of a listener. It is in the Common Expression
	// Language, of up to 4 kB, and may speak of listener, certificate and gateway.
	Expression string `json:"expression"`
	// Message says why not, in one line of up to 256 bytes.
	Message string `json:"message"`
}

const (
	// maxRules and the others bound the work of a plan, which asks each rule for
	// each hostname, and what people are told.
	maxRules       = 32
	maxExpression  = 4 << 10
	maxRuleMessage = 256
	maxRuleError   = 256
)

// Condition is an expression that is ready to be asked.
type Condition interface {
	// Met reports whether it is true of the candidate, and what it cost to tell, as
	// [plan.Ruling] has it. Where that cannot be told it is an error. It may be
	// called by many at once.
	Met(plan.Candidate) (met bool, cost uint64, err error)
}

// noRules is for the handler of the default build: the language's library is too
// large for it.
const noRules = "this build of the handler knows no rules: take them out, or build it with make build RULES=1"

// compileRules returns the rules as the planner takes them, or every fault.
func compileRules(at *field.Path, rules []Rule, compile func(expression string) (Condition, error)) (plan.Rules, field.ErrorList) {
	switch {
	case len(rules) == 0:
		return nil, nil
	case compile == nil:
		return nil, field.ErrorList{field.Forbidden(at, noRules)}
	case len(rules) > maxRules:
		return nil, field.ErrorList{field.TooMany(at, len(rules), maxRules)}
	}
	set := &ruleSet{}
	names := map[string]bool{}
	var faults field.ErrorList
	for i, rule := range rules {
		faults = append(faults, rule.validate(at.Index(i), names)...)
		names[rule.Name] = true
		condition, fault := rule.compile(at.Index(i).Child("expression"), compile)
		if fault != nil {
			faults = append(faults, fault)
		}
		set.rules = append(set.rules, compiledRule{rule.Name, rule.Message, condition})
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return set, nil
}

// validate judges all but the expression.
func (r Rule) validate(at *field.Path, taken map[string]bool) (faults field.ErrorList) {
	if reasons := validation.IsDNS1123Label(r.Name); len(reasons) > 0 {
		faults = append(faults, field.Invalid(at.Child("name"), r.Name, "want a DNS label such as no-tenant-wildcards"))
	} else if taken[r.Name] {
		faults = append(faults, field.Duplicate(at.Child("name"), r.Name))
	}
	if text := r.Message; strings.TrimSpace(text) == "" || strings.ContainsAny(text, "\r\n") || len(text) > maxRuleMessage {
		faults = append(faults, field.Invalid(at.Child("message"), text,
			fmt.Sprintf("say in one line of up to %d bytes why a listener is not allowed", maxRuleMessage)))
	}
	return faults
}

func (r Rule) compile(at *field.Path, compile func(string) (Condition, error)) (Condition, *field.Error) {
	switch {
	case strings.TrimSpace(r.Expression) == "":
		return nil, field.Required(at, "write what must be true of a listener")
	case len(r.Expression) > maxExpression:
		return nil, field.TooLong(at, r.Expression, maxExpression)
	}
	condition, err := compile(r.Expression)
	if err != nil {
		return nil, field.Invalid(at, r.Expression, err.Error())
	}
	return condition, nil
}

// ruleSet asks rules in the order of the file.
type ruleSet struct{ rules []compiledRule }

type compiledRule struct {
	name, message string
	condition     Condition
}

// Judge tells of the first rule that is not met. One that cannot be
// judged is not met, also for a listener that stands: else who takes off the
// label that a rule asks for would have nothing to fear from it.
func (s *ruleSet) Judge(candidate plan.Candidate) (ruling plan.Ruling) {
	for _, rule := range s.rules {
		met, cost, err := rule.condition.Met(candidate)
		ruling.Cost += cost
		if err != nil {
			ruling.Why = fmt.Sprintf("rule %s: %s (it cannot be judged, which counts as not met: %.*s)", rule.name, rule.message, maxRuleError, inOneLine(err))
			return ruling
		}
		if !met {
			ruling.Why = fmt.Sprintf("rule %s: %s", rule.name, rule.message)
			return ruling
		}
	}
	return ruling
}

// inOneLine is for an error that may quote what a tenant has written.
func inOneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
