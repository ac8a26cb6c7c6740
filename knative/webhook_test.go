package knative_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"knative.dev/pkg/apis"
)

// admit does with an object what Knative's webhooks do when it is created:
// decode strictly, fill in the defaults, validate.
func admit(object *unstructured.Unstructured) error {
	into, err := goType(object.GroupVersionKind())
	if err != nil {
		return err
	}
	if err := decode(object, into); err != nil {
		return err
	}
	ctx := apis.WithinCreate(context.Background())
	if defaulted, ok := into.(apis.Defaultable); ok {
		defaulted.SetDefaults(ctx)
	}
	if validated, ok := into.(apis.Validatable); ok {
		// A warning counts too: what is deprecated today is refused tomorrow.
		if faults := validated.Validate(ctx); faults != nil {
			return fmt.Errorf("validate: %w", faults)
		}
	}
	return nil
}

func TestKnativeAdmitsEveryObject(t *testing.T) {
	for _, dir := range directories {
		for _, object := range buildOnDisk(t, dir) {
			if err := admit(object); err != nil {
				t.Errorf("%s: %s %s: %v", dir, object.GetKind(), object.GetName(), err)
			}
		}
	}
}

func TestAFaultyObjectIsNotAdmitted(t *testing.T) {
	for name, fault := range map[string]struct {
		kind, name string
		path       []string
		value      any
		says       string
	}{
		"a field that does not exist": {
			"ApiServerSource", "certificates", []string{"spec", "namespaceSelectors"}, map[string]any{}, "namespaceSelectors"},
		"a field in the wrong case": {
			"ApiServerSource", "certificates", []string{"spec", "Mode"}, "Resource", "Mode"},
		"a mode that does not exist": {
			"ApiServerSource", "certificates", []string{"spec", "mode"}, "Objects", "mode"},
		"a schedule that is none": {
			"PingSource", "sweep", []string{"spec", "schedule"}, "every ten minutes", "schedule"},
		"a sink without a name": {
			"ContainerSource", "gateways", []string{"spec", "sink", "ref", "name"}, "", "sink"},
		"a pod field of the wrong place": {
			"ContainerSource", "gateways", []string{"spec", "template", "spec", "readOnlyRootFilesystem"}, true, "readOnlyRootFilesystem"},
		"a pod field that Knative Services must not have": {
			"Service", "gateway-cert-handler", []string{"spec", "template", "spec", "hostNetwork"}, true, "hostNetwork"},
		"a timeout above the one Knative allows": {
			"Service", "gateway-cert-handler", []string{"spec", "template", "spec", "timeoutSeconds"}, int64(3600), "timeoutSeconds"},
	} {
		t.Run(name, func(t *testing.T) {
			object := named(t, buildOnDisk(t, base), fault.kind, fault.name)
			if err := unstructured.SetNestedField(object.Object, fault.value, fault.path...); err != nil {
				t.Fatalf("put the fault in: %v", err)
			}
			if err := admit(object); err == nil || !strings.Contains(err.Error(), fault.says) {
				t.Errorf("admitted with %v = %v: %v", fault.path, fault.value, err)
			}
		})
	}
}
