package outcomes

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/cloudevents/sdk-go/v2/event"
	"sigs.k8s.io/json"
)

// Overrides are extension attributes that every event to the sink has, whatever
// it has of its own: by name, in lower case.
type Overrides map[string]string

// ParseOverrides reads K_CE_OVERRIDES as Knative writes it:
// {"extensions":{"name":"value"}}. An empty text is none. An error names the
// variable, and no value.
func ParseOverrides(text string) (Overrides, error) {
	overrides, err := parseOverrides(text)
	if err != nil {
		return nil, fmt.Errorf("read K_CE_OVERRIDES: %w", err)
	}
	return overrides, nil
}

func parseOverrides(text string) (Overrides, error) {
	if text == "" {
		return nil, nil
	}
	if len(text) > maxOverrides {
		return nil, fmt.Errorf("it has %d bytes, and may have %d", len(text), maxOverrides)
	}
	var file struct {
		Extensions map[string]string `json:"extensions"`
	}
	strict, err := json.UnmarshalStrict([]byte(text), &file)
	if faults := append(strict, err); faults[0] != nil {
		return nil, fmt.Errorf(`want {"extensions":{"name":"value"}}: %w`, faults[0])
	}
	return overridesOf(file.Extensions)
}

// overridesOf takes names in any letter case, as Knative does, and has CloudEvents'
// own library judge them.
func overridesOf(extensions map[string]string) (Overrides, error) {
	var attributes event.EventContextV1
	for _, name := range slices.Sorted(maps.Keys(extensions)) {
		if !isPlain(extensions[name]) {
			return nil, fmt.Errorf(`extension %q: the value must be printable ASCII without " and %%, not empty, and not begin or end with a space`, name)
		}
		if err := attributes.SetExtension(name, extensions[name]); err != nil {
			return nil, fmt.Errorf("extension %q: %w", name, err)
		}
	}
	if len(attributes.Extensions) < len(extensions) {
		return nil, errors.New("two extensions have the same name but for the letter case")
	}
	overrides := Overrides{}
	for name := range attributes.Extensions {
		overrides[name] = attributes.Extensions[name].(string)
	}
	return overrides, nil
}

// apply sets the attributes on the event.
func (o Overrides) apply(e *event.Event) {
	for name, value := range o {
		e.SetExtension(name, value)
	}
}
