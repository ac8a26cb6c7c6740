package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Authentication says whose events are taken: of those who show a token that was
// issued for the audience and to one of the allowed.
type Authentication struct {
	// Audience is the one that the sources' sinks name.
	Audience string `json:"audience,omitempty"`
	// Allowed are users as Kubernetes names them, such as
	// system:serviceaccount:NAMESPACE:NAME. With * for the name all
	// ServiceAccounts of that namespace are meant.
	Allowed []string `json:"allowed,omitempty"`
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

func (a *Authentication) validate() error {
	if a == nil {
		return nil
	}
	var faults []error
	if a.Audience == "" {
		faults = append(faults, errors.New("audience is missing: write the one that the sinks of the sources name"))
	}
	if len(a.Allowed) == 0 {
		faults = append(faults, errors.New("allowed is missing: name the users that may send events, such as system:serviceaccount:NAMESPACE:NAME"))
	}
	for _, entry := range a.Allowed {
		if err := validateUser(entry); err != nil {
			faults = append(faults, fmt.Errorf("allowed: %q %w", entry, err))
		}
	}
	return errors.Join(faults...)
}

const accountPrefix = "system:serviceaccount:"

func validateUser(entry string) error {
	account, isAccount := strings.CutPrefix(entry, accountPrefix)
	namespace, name, whole := strings.Cut(account, ":")
	switch {
	case entry == "" || strings.TrimSpace(entry) != entry:
		return errors.New("is empty or begins or ends with a space")
	case isAccount && (!whole || namespace == "" || name == "" || strings.Contains(name, ":")):
		return errors.New("is not of the form system:serviceaccount:NAMESPACE:NAME")
	case isAccount && name == "*" && !strings.Contains(namespace, "*"):
		return nil
	case strings.Contains(entry, "*"):
		return errors.New("has a * that is not all of the NAME in system:serviceaccount:NAMESPACE:NAME")
	}
	return nil
}
