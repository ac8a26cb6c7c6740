package knative_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes/fake"
	eventingconfig "knative.dev/eventing/pkg/apis/config"
	"knative.dev/eventing/pkg/apis/feature"
	"knative.dev/eventing/pkg/apis/sinks"
	"knative.dev/pkg/apis"
	"sigs.k8s.io/yaml"
)

// admit does with an object what Knative's webhooks do when it is created:
// decode strictly, fill in the defaults, validate.
func admit(t testing.TB, object *unstructured.Unstructured) error {
	t.Helper()
	into, err := goType(object.GroupVersionKind())
	if err != nil {
		return err
	}
	if err := decode(object, into); err != nil {
		return err
	}
	ctx := apis.WithinCreate(asInTheWebhook(t))
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

// asInTheWebhook has what the webhook is given by the cluster: the class that a
// Broker gets by default, as Knative ships it, and for a JobSink an API server
// that tries its Job. This one takes all; the tests of the broker ask the real
// one.
func asInTheWebhook(t testing.TB) context.Context {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(moduleDir(t, eventingModule), "config", "core", "configmaps", "default-broker.yaml"))
	if err != nil {
		t.Fatalf("read Knative's defaults: %v", err)
	}
	defaults := &corev1.ConfigMap{}
	if err := yaml.Unmarshal(data, defaults); err != nil {
		t.Fatalf("decode Knative's defaults: %v", err)
	}
	read, err := eventingconfig.NewDefaultsConfigFromConfigMap(defaults)
	if err != nil {
		t.Fatalf("have Knative read its defaults: %v", err)
	}
	ctx := eventingconfig.ToContext(context.Background(), &eventingconfig.Config{Defaults: read})
	// An EventPolicy is admitted only where Knative's authentication is on.
	ctx = feature.ToContext(ctx, feature.Flags{feature.OIDCAuthentication: feature.Enabled})
	return sinks.WithConfig(ctx, &sinks.Config{KubeClient: fake.NewClientset()})
}

func TestKnativeAdmitsEveryObject(t *testing.T) {
	for _, dir := range directories {
		for _, object := range buildOnDisk(t, dir) {
			if err := admit(t, object); err != nil {
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
		"a pause that is none": {
			"Broker", "gateway-cert", []string{"spec", "delivery", "backoffDelay"}, "500ms", "backoffDelay"},
		"a policy that does not exist": {
			"Broker", "gateway-cert", []string{"spec", "delivery", "backoffPolicy"}, "quadratic", "backoffPolicy"},
		"a dead-letter sink without a kind": {
			"Broker", "gateway-cert", []string{"spec", "delivery", "deadLetterSink", "ref", "kind"}, "", "deadLetterSink"},
		"a Trigger without a Broker": {
			"Trigger", "sweep", []string{"spec", "broker"}, "", "broker"},
		"a filter for what is no attribute": {
			"Trigger", "sweep", []string{"spec", "filters"}, []any{map[string]any{"exact": map[string]any{"ce-type": "x"}}}, "ce-type"},
		"a filter of two dialects": {
			"Trigger", "sweep", []string{"spec", "filters"}, []any{map[string]any{
				"exact": map[string]any{"type": "x"}, "prefix": map[string]any{"type": "x"}}}, "dialects"},
		"a subscriber without a name": {
			"Trigger", "gateways", []string{"spec", "subscriber", "ref", "name"}, "", "subscriber"},
		"a JobSink without a Job": {
			"JobSink", "undelivered", []string{"spec", "job"}, nil, "job"},
		"a pod field of the wrong place": {
			"ContainerSource", "gateways", []string{"spec", "template", "spec", "readOnlyRootFilesystem"}, true, "readOnlyRootFilesystem"},
		"a pod field that Knative Services must not have": {
			"Service", "gateway-cert-handler", []string{"spec", "template", "spec", "hostNetwork"}, true, "hostNetwork"},
		"a timeout above the one Knative allows": {
			"Service", "gateway-cert-handler", []string{"spec", "template", "spec", "timeoutSeconds"}, int64(3600), "timeoutSeconds"},
	} {
		t.Run(name, func(t *testing.T) {
			object := named(t, buildOnDisk(t, brokerExample), fault.kind, fault.name)
			if err := unstructured.SetNestedField(object.Object, fault.value, fault.path...); err != nil {
				t.Fatalf("put the fault in: %v", err)
			}
			if err := admit(t, object); err == nil || !strings.Contains(err.Error(), fault.says) {
				t.Errorf("admitted with %v = %v: %v", fault.path, fault.value, err)
			}
		})
	}
}
