package main

import (
	"fmt"
	"strings"
)

// options are the facts about a cluster that the source itself does not tell.
type options struct {
	sink          string
	namespaces    names
	logging       settings
	observability settings
}

// names is a comma-separated list as a flag.
type names []string

func (n *names) String() string { return strings.Join(*n, ",") }

func (n *names) Set(text string) error {
	*n = strings.Split(text, ",")
	return nil
}

// settings is the data of a ConfigMap as a repeated flag.
type settings map[string]string

func (s settings) String() string { return "" }

func (s settings) Set(text string) error {
	key, value, found := strings.Cut(text, "=")
	if !found {
		return fmt.Errorf("want key=value, not %q", text)
	}
	s[key] = value
	return nil
}
