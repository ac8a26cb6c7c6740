package trust

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// readTimeout bounds what a source asks of the API server, which answers within
// milliseconds.
const readTimeout = 5 * time.Second

// ConfigMap is a key in the data of a ConfigMap. Each Resolve is a request to the
// API server; see [Cached].
type ConfigMap struct {
	Client               Client
	Namespace, Name, Key string
}

// Resolve reads the ConfigMap. That it, its key or the right to read it is
// missing is a [*ConfigError].
func (c ConfigMap) Resolve(ctx context.Context) (Bundle, error) {
	name := keyName(c.Namespace, c.Name, c.Key)
	if err := c.validate(); err != nil {
		return Bundle{}, &ConfigError{name, err}
	}
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	found, err := c.Client.get(ctx, c.Namespace, c.Name)
	if err != nil {
		return Bundle{}, classify(access{
			source: name,
			rule:   fmt.Sprintf("resources [configmaps], resourceNames [%s], verbs [get]", c.Name),
			in:     c.Namespace,
		}, err)
	}
	text, err := c.text(found)
	if err != nil {
		return Bundle{}, &ConfigError{name, err}
	}
	return parse(name, []byte(text))
}

func (c ConfigMap) text(found *corev1.ConfigMap) (string, error) {
	if text, ok := found.Data[c.Key]; ok {
		return text, nil
	}
	if _, ok := found.BinaryData[c.Key]; ok {
		return "", errors.New("the key is in binaryData; write it as text in data")
	}
	return "", errors.New("the ConfigMap has no such key; write the bundle under it in data")
}

// validate spares the API server names that cannot be, and answers that say less.
func (c ConfigMap) validate() error {
	for _, part := range []struct {
		what, value string
		faults      func(string) []string
	}{
		{"namespace", c.Namespace, validation.IsDNS1123Label},
		{"name", c.Name, validation.IsDNS1123Subdomain},
		{"key", c.Key, validation.IsConfigMapKey},
	} {
		if faults := part.faults(part.value); len(faults) > 0 {
			return fmt.Errorf("the %s %q cannot be one; correct it: %s", part.what, part.value, strings.Join(faults, ", "))
		}
	}
	return nil
}

func keyName(namespace, name, key string) string {
	return fmt.Sprintf("ConfigMap %s/%s key %s", namespace, name, key)
}
