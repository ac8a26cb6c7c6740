package config

import (
	"fmt"
	"io"
	"os"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// maxBytes is more than a ConfigMap can hold.
const maxBytes = 1 << 20

// Load reads a settings file. It accepts nothing that it does not understand: a
// misspelt key would otherwise leave a default in force that somebody believes
// to have changed. What is wrong with the settings are [*Faults], all at once;
// any other error is about reading the file, and names it.
func Load(path string, options ...Option) (HandlerConfig, error) {
	file, err := os.Open(path)
	if err != nil {
		return HandlerConfig{}, fmt.Errorf("read settings: %w", err)
	}
	defer file.Close()
	return Read(path, file, options...)
}

// Read is [Load] for settings that come from elsewhere. Faults bear the name.
func Read(name string, from io.Reader, options ...Option) (HandlerConfig, error) {
	data, err := io.ReadAll(io.LimitReader(from, maxBytes+1))
	if err != nil {
		return HandlerConfig{}, fmt.Errorf("read settings: %w", err)
	}
	if len(data) > maxBytes {
		return HandlerConfig{}, fmt.Errorf("read settings: %s is larger than 1 MiB: settings are a few lines, so this is some other file", name)
	}
	return parse(name, data, optionsOf(options))
}

func parse(name string, data []byte, o options) (HandlerConfig, error) {
	in := treeOf(data)
	settings, found := judge(data, in, o)
	if len(found) == 0 {
		return settings, nil
	}
	list := make([]Fault, 0, len(found))
	for _, f := range found {
		list = append(list, f.placed(in))
	}
	return HandlerConfig{}, newFaults(name, list)
}

// judge returns what the settings say, and everything that is wrong with them.
func judge(data []byte, in tree, o options) (HandlerConfig, []finding) {
	if found := oneDocument(data); found != nil {
		return HandlerConfig{}, found
	}
	if found := in.expanded(); found != nil {
		return HandlerConfig{}, found
	}
	asJSON, found := toJSON(data, in)
	if asJSON == nil {
		return HandlerConfig{}, found
	}
	d := decode(asJSON)
	settings := d.settings
	rules, faults := compileRules(field.NewPath("rules"), settings.Rules, o.compile)
	settings.rules = rules
	refused := findingsOf(slices.Concat(faults, settings.validate(), leftOpen(d.asJSON), validateTests(field.NewPath("tests"), settings.Tests)))
	found = slices.Concat(found, d.unread, d.unknown, apartFrom(d.unread, refused))
	if len(found) == 0 {
		found = runTests(field.NewPath("tests"), settings.Tests, settings.GatewayDefaults())
	}
	return settings, found
}
