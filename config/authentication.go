package config

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Authentication says whose events are taken: of those who show a token that was
// issued for the audience and to one of the allowed.
type Authentication struct {
	// Audience is the one that the sources' sinks name.
	Audience string `json:"audience,omitempty" jsonschema:"required,minLength=1"`
	// Allowed are users as Kubernetes names them, such as
	// system:serviceaccount:NAMESPACE:NAME. With * for the name all
	// ServiceAccounts of that namespace are meant.
	Allowed []string `json:"allowed,omitempty" jsonschema:"required,minItems=1,minLength=1"`
}

// Allows tells whether the user may send events.
func (a *Authentication) Allows(username string) bool {
	return slices.ContainsFunc(a.Allowed, func(entry string) bool {
		if namespace, all := strings.CutSuffix(entry, ":*"); all {
			name, inside := strings.CutPrefix(username, namespace+":")
			return inside && name != ""
		}
		return entry == username
	})
}

func (a *Authentication) validate(at *field.Path) field.ErrorList {
	if a == nil {
		return nil
	}
	var faults field.ErrorList
	if a.Audience == "" {
		faults = append(faults, field.Required(at.Child("audience"), "write the one that the sinks of the sources name"))
	}
	if len(a.Allowed) == 0 {
		faults = append(faults, field.Required(at.Child("allowed"),
			"name the users that may send events, such as system:serviceaccount:NAMESPACE:NAME"))
	}
	for i, entry := range a.Allowed {
		if problem := userProblem(entry); problem != "" {
			faults = append(faults, field.Invalid(at.Child("allowed").Index(i), entry, problem))
		}
	}
	return faults
}

const accountPrefix = "system:serviceaccount:"

// userProblem says what is wrong with an entry, or nothing.
func userProblem(entry string) string {
	account, isAccount := strings.CutPrefix(entry, accountPrefix)
	namespace, name, whole := strings.Cut(account, ":")
	switch {
	case entry == "" || strings.TrimSpace(entry) != entry:
		return "it is empty or begins or ends with a space"
	case isAccount && (!whole || namespace == "" || name == "" || strings.Contains(name, ":")):
		return "it is not of the form system:serviceaccount:NAMESPACE:NAME"
	case isAccount && name == "*" && !strings.Contains(namespace, "*"):
		return ""
	case strings.Contains(entry, "*"):
		return "it has a * that is not all of the NAME in system:serviceaccount:NAMESPACE:NAME"
	}
	return ""
}
