package install

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// source is manifests in one module: files and directories of files.
type source struct {
	module string
	paths  []string
}

// Below the project's root, the modules whose go.mod says the versions.
const (
	servingModule  = "test/node/serving"
	eventingModule = "test/node/eventing"
)

// serving is Knative Serving. In the module's archive the files are missing that
// are links in its repository; they come from where the links lead.
var serving = []source{
	{"knative.dev/serving", []string{
		"config/core/100-namespace.yaml", "config/core/200-serviceaccount.yaml", "config/core/200-roles", "config/core/300-resources",
	}},
	{"knative.dev/networking", []string{
		"config/certificate.yaml", "config/domain-claim.yaml", "config/ingress.yaml", "config/serverlessservice.yaml", "config/config-network.yaml",
	}},
	{"knative.dev/caching", []string{"config/image.yaml"}},
	{"knative.dev/serving", []string{
		"config/core/configmaps", "config/core/webhooks", "config/core/deployments", "config/core/999-cache.yaml",
	}},
}

// eventing is Knative Eventing with its Broker on the channel in memory. Two
// ConfigMaps come from elsewhere: the controller does not start without them.
var eventing = []source{{"knative.dev/eventing", []string{
	"config/core/100-namespace.yaml",
	"config/core/200-eventing-serviceaccount.yaml", "config/core/200-job-sink-serviceaccount.yaml",
	"config/core/200-pingsource-mt-adapter-serviceaccount.yaml", "config/core/200-webhook-serviceaccount.yaml",
	"config/core/roles", "config/core/resources", "config/core/configmaps",
	"third_party/eventing-integrations-latest/eventing-integrations-images.yaml",
	"third_party/eventing-integrations-latest/eventing-transformations-images.yaml",
	"config/core/webhooks", "config/core/deployments",
	"config/channels/in-memory-channel/200-imc-controller-serviceaccount.yaml",
	"config/channels/in-memory-channel/200-imc-dispatcher-serviceaccount.yaml",
	"config/channels/in-memory-channel/roles", "config/channels/in-memory-channel/resources",
	"config/channels/in-memory-channel/configmaps", "config/channels/in-memory-channel/webhooks",
	"config/channels/in-memory-channel/deployments",
	"config/brokers/mt-channel-broker/roles", "config/brokers/mt-channel-broker/deployments",
}}}

// kinds are the CRDs that the handler works on, of the versions in the project's
// own go.mod.
var kinds = []source{
	{"sigs.k8s.io/gateway-api", []string{"config/crd/standard"}},
	{"github.com/cert-manager/cert-manager", []string{"deploy/crds"}},
}

// read returns all documents of sources, in their order. The versions are those of
// the go.mod in dir.
func read(ctx context.Context, dir string, sources []source) ([]document, error) {
	var documents []document
	for _, s := range sources {
		root, err := moduleDir(ctx, dir, s.module)
		if err != nil {
			return nil, err
		}
		for _, path := range s.paths {
			found, err := readPath(filepath.Join(root, filepath.FromSlash(path)))
			if err != nil {
				return nil, fmt.Errorf("read manifests of %s: %w", s.module, err)
			}
			documents = append(documents, found...)
		}
	}
	return documents, nil
}

// moduleDir returns where a module is, and downloads it if need be.
func moduleDir(ctx context.Context, dir, module string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", module)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("find the module %s: %w: %s%s", module, err, strings.TrimSpace(stderr.String()), stdout.String())
	}
	var found struct{ Dir string }
	if err := json.Unmarshal(stdout.Bytes(), &found); err != nil {
		return "", fmt.Errorf("find the module %s: %w", module, err)
	}
	return found.Dir, nil
}

// readPath reads a file, or all YAML files of a directory.
func readPath(path string) ([]document, error) {
	files := []string{path}
	if filepath.Ext(path) != ".yaml" {
		var err error
		if files, err = filepath.Glob(filepath.Join(path, "*.yaml")); err != nil || len(files) == 0 {
			return nil, fmt.Errorf("there are no manifests in %s: has the module moved them?", path)
		}
	}
	var documents []document
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		found, err := parse(bytes.NewReader(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		documents = append(documents, found...)
	}
	return documents, nil
}
