package main

import (
	"encoding/json"
	"fmt"
	"slices"

	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// operation is one step of a JSON Patch (RFC 6902).
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// removalOf takes listeners off the Gateway that was read and off no other: it
// removes by position, and the tests hold only for that Gateway as it was. It
// goes from the back, so that no removal moves a position still to come.
func removalOf(gateway *gatewayv1.Gateway, names []gatewayv1.SectionName) ([]byte, error) {
	steps := []operation{
		{"test", "/metadata/uid", gateway.UID},
		{"test", "/metadata/resourceVersion", gateway.ResourceVersion},
	}
	for i := len(gateway.Spec.Listeners) - 1; i >= 0; i-- {
		if slices.Contains(names, gateway.Spec.Listeners[i].Name) {
			steps = append(steps, operation{Op: "remove", Path: fmt.Sprintf("/spec/listeners/%d", i)})
		}
	}
	return json.Marshal(steps)
}

// labellingOf sets labels on the Certificate that was read (RFC 7396). The API
// server takes the resourceVersion for a condition.
func labellingOf(resourceVersion string, labels map[string]string) ([]byte, error) {
	return json.Marshal(map[string]any{
		"metadata": map[string]any{"resourceVersion": resourceVersion, "labels": labels},
	})
}
