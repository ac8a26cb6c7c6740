package sources

import (
	"context"
	"encoding/json"
	"fmt"

	sourcesv1 "knative.dev/eventing/pkg/apis/sources/v1"
	"knative.dev/pkg/apis"

	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

// setDefaults has each source as Knative's webhook would have let it in.
func (c *cluster) setDefaults(ctx context.Context) error {
	for name, as := range map[string]apis.Defaultable{
		"apiserversource/certificates": &sourcesv1.ApiServerSource{},
		"containersource/gateways":     &sourcesv1.ContainerSource{},
		"pingsource/sweep":             &sourcesv1.PingSource{},
	} {
		if err := c.setDefaultsOf(ctx, name, as); err != nil {
			return err
		}
	}
	return nil
}

// bind does the same for the SinkBinding that Knative makes of the ContainerSource;
// without it its sink would have no namespace.
func (c *cluster) bind(ctx context.Context) error {
	const name = "sinkbinding/gateways-sinkbinding"
	if _, err := c.Kubectl(ctx, "", "-n", stack.Namespace, "wait", name, "--for=create", "--timeout="+patience.String()); err != nil {
		return err
	}
	return c.setDefaultsOf(ctx, name, &sourcesv1.SinkBinding{})
}

// setDefaultsOf sets the defaults that Knative's own code knows in an object's spec.
func (c *cluster) setDefaultsOf(ctx context.Context, name string, as apis.Defaultable) error {
	text, err := c.Kubectl(ctx, "", "-n", stack.Namespace, "get", name, "-o", "json")
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(text), as); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	as.SetDefaults(ctx)
	object, err := json.Marshal(as)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	var patch struct {
		Spec json.RawMessage `json:"spec"`
	}
	if err := json.Unmarshal(object, &patch); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	spec, err := json.Marshal(patch)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	_, err = c.Kubectl(ctx, "", "-n", stack.Namespace, "patch", name, "--type=merge", "-p", string(spec))
	return err
}
