package controlplane

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// crdDirs says where the modules in go.mod keep their CRDs.
var crdDirs = map[string][]string{
	"sigs.k8s.io/gateway-api":              {"config/crd/standard"},
	"github.com/cert-manager/cert-manager": {"deploy/crds"},
	"knative.dev/eventing":                 {"config/core/resources", "config/channels/in-memory-channel/resources"},
	"knative.dev/serving":                  {"config/core/300-resources"},
}

// readCRDs reads the CRDs of the module versions in the project's go.mod.
func readCRDs(ctx context.Context) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	modules, err := moduleDirs(ctx)
	if err != nil {
		return nil, err
	}
	var crds []*apiextensionsv1.CustomResourceDefinition
	for module, dirs := range crdDirs {
		for _, below := range dirs {
			dir := filepath.Join(modules[module], filepath.FromSlash(below))
			files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
			if err != nil || len(files) == 0 {
				return nil, fmt.Errorf("read the CRDs of %s: no YAML files in %s: has the module moved them?", module, dir)
			}
			for _, file := range files {
				found, err := readCRDFile(file)
				if err != nil {
					return nil, fmt.Errorf("read the CRDs of %s from %s: %w", module, file, err)
				}
				crds = append(crds, found...)
			}
		}
	}
	return crds, nil
}

// moduleDirs returns the directory of each module that has CRDs, downloading
// those that no build has needed yet.
func moduleDirs(ctx context.Context) (map[string]string, error) {
	source, err := sourceDir(ctx)
	if err != nil {
		return nil, err
	}
	args := []string{"mod", "download", "-json"}
	for module := range crdDirs {
		args = append(args, module)
	}
	out, err := goCommand{dir: source, args: args}.output(ctx)
	if err != nil {
		return nil, fmt.Errorf("find the modules that hold the CRDs: %w", err)
	}
	dirs := map[string]string{}
	for decoder := json.NewDecoder(bytes.NewBufferString(out)); ; {
		var module struct{ Path, Dir string }
		if err := decoder.Decode(&module); errors.Is(err, io.EOF) {
			return dirs, nil
		} else if err != nil {
			return nil, fmt.Errorf("find the modules that hold the CRDs: %w", err)
		}
		dirs[module.Path] = module.Dir
	}
}

// readCRDFile returns the CRDs in a file. Other objects are passed over: the
// Gateway API's admission policy against downgrades would only cost time, as
// every control plane is new.
func readCRDFile(path string) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var crds []*apiextensionsv1.CustomResourceDefinition
	for documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data))); ; {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return crds, nil
		}
		if err != nil {
			return nil, err
		}
		crd := &apiextensionsv1.CustomResourceDefinition{}
		if err := yaml.Unmarshal(document, crd); err != nil {
			return nil, err
		}
		if crd.Kind != "CustomResourceDefinition" {
			continue
		}
		// The webhooks that convert between versions do not run here.
		crd.Spec.Conversion = nil
		crds = append(crds, crd)
	}
}
