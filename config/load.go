package config

import (
	"errors"
	"fmt"
	"io"
	"os"

	"sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// maxBytes is more than a ConfigMap can hold.
const maxBytes = 1 << 20

// Load reads a settings file. It accepts nothing that it does not understand: a
// misspelt key would otherwise leave a default in force that somebody believes
// to have changed. An error names the file and every fault that was found.
func Load(path string, options ...Option) (HandlerConfig, error) {
	data, err := read(path)
	if err != nil {
		return HandlerConfig{}, fmt.Errorf("read settings: %w", err)
	}
	config, err := parse(data, optionsOf(options))
	if err != nil {
		return HandlerConfig{}, fmt.Errorf("settings in %s: %w", path, err)
	}
	return config, nil
}

func read(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxBytes {
		return nil, fmt.Errorf("%s is larger than 1 MiB: settings are a few lines, so this is some other file", path)
	}
	return data, nil
}

// parse goes by way of JSON, as Kubernetes does: sigs.k8s.io/yaml alone would
// take keys in any letter case, and then one key twice.
func parse(data []byte, o options) (HandlerConfig, error) {
	if err := oneDocument(data); err != nil {
		return HandlerConfig{}, err
	}
	asJSON, err := yaml.YAMLToJSONStrict(data)
	if err != nil {
		return HandlerConfig{}, err
	}
	var config HandlerConfig
	strict, err := json.UnmarshalStrict(asJSON, &config)
	if err != nil {
		return HandlerConfig{}, err
	}
	var rulesErr error
	config.rules, rulesErr = compileRules(config.Rules, o.compile)
	faults := append([]error{config.validate(), leftOpen(asJSON), rulesErr, validateTests(config.Tests)}, strict...)
	if err := errors.Join(faults...); err != nil {
		return config, err
	}
	return config, runTests(config.Tests, config.GatewayDefaults())
}

func (c HandlerConfig) validate() error {
	var faults []error
	if c.APIVersion != APIVersion {
		faults = append(faults, fmt.Errorf("apiVersion is %q: write %s", c.APIVersion, APIVersion))
	}
	if c.Kind != Kind {
		faults = append(faults, fmt.Errorf("kind is %q: write %s", c.Kind, Kind))
	}
	for _, section := range []struct {
		key   string
		fault error
	}{
		{"defaults", c.GatewayDefaults().Validate()},
		{"delivery", c.Delivery.validate()},
		{"trust", c.Trust.validate()},
		{"telemetry", c.Telemetry.validate()},
		{"authentication", c.Authentication.validate()},
	} {
		if section.fault != nil {
			faults = append(faults, fmt.Errorf("%s: %w", section.key, section.fault))
		}
	}
	return errors.Join(faults...)
}
