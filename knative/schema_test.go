package knative_test

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// schemaOf is the schema by which the API server would judge this kind, or nil
// if none of the CRDs serves it.
func schemaOf(crds []*apiextensionsv1.CustomResourceDefinition, kind schema.GroupVersionKind) (*apiextensions.JSONSchemaProps, error) {
	for _, crd := range crds {
		if crd.Spec.Group != kind.Group || crd.Spec.Names.Kind != kind.Kind {
			continue
		}
		for _, version := range crd.Spec.Versions {
			if version.Name != kind.Version || !version.Served {
				continue
			}
			internal := &apiextensions.JSONSchemaProps{}
			err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(
				version.Schema.OpenAPIV3Schema, internal, nil)
			if err != nil {
				return nil, fmt.Errorf("convert the schema of %s: %w", kind, err)
			}
			return internal, nil
		}
	}
	return nil, nil
}

// judge does what the API server does with a custom resource before it asks a
// webhook: validate against the schema, and look for fields that it would drop.
// Rules in CEL are left to the real server.
func judge(openAPI *apiextensions.JSONSchemaProps, object *unstructured.Unstructured) error {
	shape, err := structural.NewStructural(openAPI)
	if err != nil {
		return fmt.Errorf("read the schema: %w", err)
	}
	validator, _, err := validation.NewSchemaValidator(openAPI)
	if err != nil {
		return fmt.Errorf("compile the schema: %w", err)
	}
	faults := validation.ValidateCustomResource(nil, object.Object, validator)
	faults = append(faults, listtype.ValidateListSetsAndMaps(nil, shape, object.Object)...)
	if err := faults.ToAggregate(); err != nil {
		return fmt.Errorf("validate: %w", err)
	}
	dropped := pruning.PruneWithOptions(object.DeepCopy().Object, shape, true,
		structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	if len(dropped) > 0 {
		return fmt.Errorf("validate: unknown fields, which would be dropped: %s", strings.Join(dropped, ", "))
	}
	return nil
}

func TestEveryCustomResourceFitsItsSchema(t *testing.T) {
	crds := knativeCRDs(t)
	for _, dir := range directories {
		judged := map[string]bool{}
		for _, object := range buildOnDisk(t, dir) {
			openAPI, err := schemaOf(crds, object.GroupVersionKind())
			if err != nil {
				t.Fatal(err)
			}
			if openAPI == nil {
				if strings.Contains(object.GroupVersionKind().Group, "knative") {
					t.Errorf("%s: no CRD of Knative serves %s", dir, object.GroupVersionKind())
				}
				continue
			}
			if err := judge(openAPI, object); err != nil {
				t.Errorf("%s: %s %s: %v", dir, object.GetKind(), object.GetName(), err)
			}
			judged[object.GetKind()] = true
		}
		for _, kind := range []string{"Service", "ApiServerSource", "ContainerSource", "PingSource"} {
			if absent := kind == "ApiServerSource" && hasSingleSource(dir); judged[kind] == absent {
				t.Errorf("%s: judged %v and no %s", dir, judged, kind)
			}
		}
	}
}

func TestTheSchemasRefuseAFaultyObject(t *testing.T) {
	crds := knativeCRDs(t)
	for name, fault := range map[string]struct {
		kind, name string
		path       []string
		value      any
		says       string
	}{
		"an unknown field of a Service": {
			"Service", "gateway-cert-handler", []string{"spec", "template", "spec", "containerConcurency"}, int64(1), "containerConcurency"},
		"an unknown field of a PingSource": {
			"PingSource", "sweep", []string{"spec", "every"}, "10m", "every"},
		"an unknown field of a ContainerSource": {
			"ContainerSource", "gateways", []string{"spec", "sink", "service"}, "x", "service"},
		"a value of the wrong type": {
			"Service", "gateway-cert-handler", []string{"spec", "template", "spec", "timeoutSeconds"}, "60", "timeoutSeconds"},
		"an ApiServerSource without resources": {
			"ApiServerSource", "certificates", []string{"spec", "resources"}, nil, "resources"},
	} {
		t.Run(name, func(t *testing.T) {
			object := named(t, buildOnDisk(t, base), fault.kind, fault.name)
			if err := unstructured.SetNestedField(object.Object, fault.value, fault.path...); err != nil {
				t.Fatalf("put the fault in: %v", err)
			}
			openAPI, err := schemaOf(crds, object.GroupVersionKind())
			if err != nil {
				t.Fatal(err)
			}
			if err := judge(openAPI, object); err == nil || !strings.Contains(err.Error(), fault.says) {
				t.Errorf("accepted with %v = %v: %v", fault.path, fault.value, err)
			}
		})
	}
}
