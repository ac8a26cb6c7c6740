package config

import (
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Trust says which authorities TLS servers that the handler sends to may have
// their certificates from, beside those that the system knows. Each key is
// optional.
type Trust struct {
	// Files are absolute paths of CA bundles, such as those of a mounted ConfigMap.
	Files []string `json:"files,omitempty" jsonschema:"pattern=^/"`
	// ConfigMaps hold CA bundles, in the handler's own namespace.
	ConfigMaps []ConfigMapKey `json:"configMaps,omitempty"`
	// KnativeBundles adds the bundles that Knative gives to this namespace: the
	// ConfigMaps labelled networking.knative.dev/trust-bundle: "true".
	KnativeBundles bool `json:"knativeBundles,omitempty"`
}

// ConfigMapKey names one value of a ConfigMap.
type ConfigMapKey struct {
	// Name is that of the ConfigMap.
	Name string `json:"name" jsonschema:"pattern=^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$,maxLength=253"`
	// Key is that of the value.
	Key string `json:"key" jsonschema:"pattern=^[-._a-zA-Z0-9]+$,maxLength=253"`
}

// ReadsConfigMaps reports whether ConfigMaps have to be asked for.
func (t Trust) ReadsConfigMaps() bool { return t.KnativeBundles || len(t.ConfigMaps) > 0 }

func (t Trust) validate(at *field.Path) field.ErrorList {
	var faults field.ErrorList
	for i, path := range t.Files {
		faults = append(faults, absolute(at.Child("files").Index(i), path)...)
	}
	for i, from := range t.ConfigMaps {
		faults = append(faults, from.validate(at.Child("configMaps").Index(i))...)
	}
	return faults
}

func (c ConfigMapKey) validate(at *field.Path) field.ErrorList {
	var faults field.ErrorList
	for _, part := range []struct {
		key, value, what string
		reasons          func(string) []string
	}{
		{"name", c.Name, "the name of a ConfigMap", validation.IsDNS1123Subdomain},
		{"key", c.Key, "a key of a ConfigMap", validation.IsConfigMapKey},
	} {
		if part.value == "" {
			faults = append(faults, field.Required(at.Child(part.key), "write "+part.what))
		} else if reasons := part.reasons(part.value); len(reasons) > 0 {
			faults = append(faults, field.Invalid(at.Child(part.key), part.value, "cannot be "+part.what+": "+reasons[0]))
		}
	}
	return faults
}
