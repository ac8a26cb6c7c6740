package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"
)

// parseSelector refuses the empty selector, which selects everything: who writes
// one has most likely forgotten the rest.
func parseSelector(text string) (labels.Selector, error) {
	switch {
	case strings.TrimSpace(text) == "":
		return nil, errors.New("the selector is empty")
	case len(text) > maxSelectorLength:
		return nil, fmt.Errorf("the selector has more than %d bytes", maxSelectorLength)
	}
	selector, err := labels.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("it is no label selector: %w", err)
	}
	return selector, nil
}

var routeOperators = map[selection.Operator]metav1.LabelSelectorOperator{
	selection.Equals:       metav1.LabelSelectorOpIn,
	selection.DoubleEquals: metav1.LabelSelectorOpIn,
	selection.In:           metav1.LabelSelectorOpIn,
	selection.NotEquals:    metav1.LabelSelectorOpNotIn,
	selection.NotIn:        metav1.LabelSelectorOpNotIn,
	selection.Exists:       metav1.LabelSelectorOpExists,
	selection.DoesNotExist: metav1.LabelSelectorOpDoesNotExist,
}

// parseRouteSelector reads a selector into the form that it has in a listener.
// metav1.ParseToLabelSelector would keep only the last of two labels of one key.
func parseRouteSelector(text string) (*metav1.LabelSelector, error) {
	parsed, err := parseSelector(text)
	if err != nil {
		return nil, err
	}
	chosen := &metav1.LabelSelector{}
	requirements, _ := parsed.Requirements()
	for _, requirement := range requirements {
		operator, known := routeOperators[requirement.Operator()]
		if !known {
			return nil, fmt.Errorf("routes cannot be selected with the operator %q", requirement.Operator())
		}
		values := slices.Sorted(slices.Values(requirement.ValuesUnsorted()))
		_, taken := chosen.MatchLabels[requirement.Key()]
		if requirement.Operator() == selection.Equals && !taken {
			metav1.AddLabelToSelector(chosen, requirement.Key(), values[0])
			continue
		}
		chosen.MatchExpressions = append(chosen.MatchExpressions, metav1.LabelSelectorRequirement{
			Key: requirement.Key(), Operator: operator, Values: values,
		})
	}
	return chosen, nil
}
