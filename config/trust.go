package config

import (
	"errors"
	"fmt"
	"path/filepath"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Trust says which authorities TLS servers that the handler sends to may have
// their certificates from, beside those that the system knows. Each key is
// optional.
type Trust struct {
	// Files are absolute paths of CA bundles, such as those of a mounted ConfigMap.
	Files []string `json:"files,omitempty"`
	// ConfigMaps hold CA bundles, in the handler's own namespace.
	ConfigMaps []ConfigMapKey `json:"configMaps,omitempty"`
	// KnativeBundles adds the bundles that Knative gives to this namespace: the
	// ConfigMaps labelled networking.knative.dev/trust-bundle: "true".
	KnativeBundles bool `json:"knativeBundles,omitempty"`
}

// ConfigMapKey names one value of a ConfigMap.
type ConfigMapKey struct {
	Name string `json:"name"`
	Key  string `json:"key"`
}

// ReadsConfigMaps reports whether ConfigMaps have to be asked for.
func (t Trust) ReadsConfigMaps() bool { return t.KnativeBundles || len(t.ConfigMaps) > 0 }

func (t Trust) validate() error {
	var faults []error
	for _, path := range t.Files {
		if err := validatePath(path); err != nil {
			faults = append(faults, fmt.Errorf("files: %w", err))
		}
	}
	for _, from := range t.ConfigMaps {
		if err := from.validate(); err != nil {
			faults = append(faults, fmt.Errorf("configMaps: %w", err))
		}
	}
	return errors.Join(faults...)
}

func (c ConfigMapKey) validate() error {
	if c.Name == "" || c.Key == "" {
		return fmt.Errorf("name is %q and key is %q: write both", c.Name, c.Key)
	}
	if reasons := validation.IsDNS1123Subdomain(c.Name); len(reasons) > 0 {
		return fmt.Errorf("%q cannot be the name of a ConfigMap: %s", c.Name, reasons[0])
	}
	if reasons := validation.IsConfigMapKey(c.Key); len(reasons) > 0 {
		return fmt.Errorf("%q cannot be a key of a ConfigMap: %s", c.Key, reasons[0])
	}
	return nil
}

// validatePath refuses a path that would depend on where the process was started.
func validatePath(path string) error {
	if !filepath.IsAbs(path) {
		return fmt.Errorf("%q is not an absolute path", path)
	}
	return nil
}
