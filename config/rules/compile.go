package rules

import (
	"errors"
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// Compile checks an expression and makes it ready. An error is one line, with the
// place of each fault within the expression.
func Compile(expression string) (config.Condition, error) {
	env, err := environment()
	if err != nil {
		return nil, err
	}
	checked, issues := env.Compile(expression)
	if issues.Err() != nil {
		return nil, faults(issues)
	}
	if got := checked.OutputType(); !got.IsExactType(cel.BoolType) {
		return nil, fmt.Errorf("it is of type %s, and is to be true or false", got)
	}
	program, err := env.Program(checked, cel.EvalOptions(cel.OptOptimize), cel.CostLimit(maxCost))
	if err != nil {
		return nil, fmt.Errorf("make it ready: %w", err)
	}
	return condition{program}, nil
}

// maxFaultsTold bounds how many faults of one expression are told.
const maxFaultsTold = 3

func faults(issues *cel.Issues) error {
	var told []string
	for i, fault := range issues.Errors() {
		if i == maxFaultsTold {
			told = append(told, "and more")
			break
		}
		message := strings.Join(strings.Fields(fault.Message), " ")
		told = append(told, fmt.Sprintf("line %d, column %d: %.256s", fault.Location.Line(), fault.Location.Column()+1, message))
	}
	return errors.New(strings.Join(told, "; "))
}

type condition struct{ program cel.Program }

// costOfAsking is what it costs to ask an expression at all: the variables have to
// be made for it.
const costOfAsking = 10

// Met returns an error where the expression has no answer, as for a label that is
// not there, or where it costs too much.
func (c condition) Met(candidate plan.Candidate) (met bool, cost uint64, err error) {
	answer, details, err := c.program.Eval(variables(candidate))
	cost = costOfAsking
	if spent := details.ActualCost(); spent != nil {
		cost += *spent
	}
	if err != nil {
		return false, cost, err
	}
	met, isBool := answer.Value().(bool)
	if !isBool {
		return false, cost, fmt.Errorf("the answer is of type %s", answer.Type().TypeName())
	}
	return met, cost, nil
}
