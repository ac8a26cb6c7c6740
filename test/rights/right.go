// Package rights knows what the manifests allow to whom, and takes it away in
// turn, so that a test can see what misses it.
package rights

import (
	"fmt"
	"slices"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
)

// Right is one verb on one resource.
type Right struct {
	// Role has it: a Role of Namespace, or a ClusterRole if that is empty.
	Role, Namespace string
	Group           string
	// Resource may be a subresource, such as serviceaccounts/token.
	Resource string
	// Name is that of the one object that the right is for; empty stands for all.
	Name string
	Verb string
}

func (r Right) String() string {
	return strings.TrimSpace(r.Verb + " " + r.Resource + " " + r.Name)
}

// Refusal is in what the API server says to somebody who lacks the right.
func (r Right) Refusal() string {
	return fmt.Sprintf("cannot %s resource %q", r.Verb, r.Resource)
}

// Without returns all rights but those that are taken.
func Without(all []Right, taken ...Right) []Right {
	return slices.DeleteFunc(slices.Clone(all), func(r Right) bool { return slices.Contains(taken, r) })
}

// split returns the rights of a role's rules, one by one. A wildcard is an error: of
// what it allows only some would be missed.
func split(role, namespace string, rules []rbacv1.PolicyRule) ([]Right, error) {
	var rights []Right
	for _, rule := range rules {
		if len(rule.NonResourceURLs) > 0 || slices.Contains(slices.Concat(rule.APIGroups, rule.Resources, rule.Verbs), rbacv1.VerbAll) {
			return nil, fmt.Errorf("role %s has a wildcard, or URLs, which cannot be taken away in turn", role)
		}
		names := rule.ResourceNames
		if len(names) == 0 {
			names = []string{""}
		}
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, name := range names {
					for _, verb := range rule.Verbs {
						rights = append(rights, Right{role, namespace, group, resource, name, verb})
					}
				}
			}
		}
	}
	return rights, nil
}

// join returns a rule for each of the rights.
func join(rights []Right) []rbacv1.PolicyRule {
	rules := []rbacv1.PolicyRule{} // not null, in JSON too
	for _, r := range rights {
		rule := rbacv1.PolicyRule{APIGroups: []string{r.Group}, Resources: []string{r.Resource}, Verbs: []string{r.Verb}}
		if r.Name != "" {
			rule.ResourceNames = []string{r.Name}
		}
		rules = append(rules, rule)
	}
	return rules
}

// attributes are how the API server is asked for the right.
func (r Right) attributes() *authorizationv1.ResourceAttributes {
	resource, subresource, _ := strings.Cut(r.Resource, "/")
	return &authorizationv1.ResourceAttributes{
		Namespace: r.Namespace, Group: r.Group, Resource: resource, Subresource: subresource, Name: r.Name, Verb: r.Verb,
	}
}
