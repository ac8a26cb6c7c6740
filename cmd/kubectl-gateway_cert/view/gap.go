package view

import "fmt"

// Gap is a right that is missing, and what follows from that.
type Gap struct {
	// Verb and Resource are as RBAC spells them, the Resource with its group.
	Verb     string `json:"verb"`
	Resource string `json:"resource"`
	// Namespace is empty where the right is wanted in all of them, or where the
	// resource has none.
	Namespace string `json:"namespace,omitempty"`
	// Name is empty where the right is wanted for all of a kind.
	Name string `json:"name,omitempty"`
	// Consequence is what cannot be told without it, and what is told all the same.
	Consequence string `json:"consequence"`
}

// String is one line for people.
func (g Gap) String() string { return fmt.Sprintf("you may not %s; %s", g.Right(), g.Consequence) }

// Right spells what is missing.
func (g Gap) Right() string {
	what := g.Resource
	if g.Name != "" {
		what += " " + g.Name
	}
	switch {
	case g.Namespace != "":
		what += " in namespace " + g.Namespace
	case g.Name == "":
		what += " in all namespaces"
	}
	return g.Verb + " " + what
}
