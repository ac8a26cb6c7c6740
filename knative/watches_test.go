package knative_test

import (
	"fmt"
	"path/filepath"
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// watchesIn are the kinds that the ApiServerSources written below root name.
func watchesIn(root string) ([]watch, error) {
	texts, err := textsIn(root)
	if err != nil {
		return nil, err
	}
	var found []watch
	for _, text := range texts {
		watches, err := watchesOf(text)
		if err != nil {
			return nil, err
		}
		found = append(found, watches...)
	}
	return found, nil
}

// watchesOf looks through every document of a text, and in them at any depth:
// in lists of objects, and in strings that hold YAML themselves, as a patch in
// a kustomization does.
func watchesOf(in text) ([]watch, error) {
	const kind = "ApiServerSource"
	if !strings.Contains(in.content, kind) {
		return nil, nil
	}
	var found []watch
	for _, document := range betweenDocuments.Split(in.content, -1) {
		var value any
		if err := yaml.Unmarshal([]byte(document), &value); err != nil {
			if strings.Contains(document, kind) {
				return nil, fmt.Errorf("read the ApiServerSource in %s: %w", in.where, err)
			}
			continue
		}
		var visit func(any) error
		visit = func(value any) error {
			switch value := value.(type) {
			case []any:
				for _, item := range value {
					if err := visit(item); err != nil {
						return err
					}
				}
			case map[string]any:
				if value["kind"] == kind {
					found = append(found, namedBy(value, in.where)...)
				}
				for _, field := range value {
					if err := visit(field); err != nil {
						return err
					}
				}
			case string:
				if strings.Contains(value, "\n") {
					inner, err := watchesOf(text{in.where, value})
					if err != nil {
						return err
					}
					found = append(found, inner...)
				}
			}
			return nil
		}
		if err := visit(value); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// namedBy are the kinds in spec.resources of one ApiServerSource.
func namedBy(source map[string]any, where string) []watch {
	var found []watch
	spec, _ := source["spec"].(map[string]any)
	resources, _ := spec["resources"].([]any)
	for _, resource := range resources {
		fields, _ := resource.(map[string]any)
		apiVersion, _ := fields["apiVersion"].(string)
		kind, _ := fields["kind"].(string)
		found = append(found, watch{where, apiVersion, kind})
	}
	return found
}

// watchesBuilt are the kinds that ApiServerSources name once kustomize has put
// the pieces together: a patch shows its effect only there.
func watchesBuilt(root string) ([]watch, error) {
	texts, err := textsIn(root)
	if err != nil {
		return nil, err
	}
	var found []watch
	for _, text := range texts {
		name := filepath.Base(text.where)
		if name != "kustomization.yaml" && name != "kustomization.yml" {
			continue
		}
		var header struct{ Kind string }
		if err := yaml.Unmarshal([]byte(text.content), &header); err != nil {
			return nil, fmt.Errorf("read %s: %w", text.where, err)
		}
		if header.Kind == "Component" { // builds nothing without an overlay
			continue
		}
		resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), filepath.Dir(text.where))
		if err != nil {
			return nil, fmt.Errorf("build %s: %w", text.where, err)
		}
		for _, resource := range resources.Resources() {
			object, err := resource.Map()
			if err != nil {
				return nil, fmt.Errorf("read what %s builds: %w", text.where, err)
			}
			if object["kind"] == "ApiServerSource" {
				found = append(found, namedBy(object, "built from "+text.where)...)
			}
		}
	}
	return found, nil
}
