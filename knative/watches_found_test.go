package knative_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const gatewaySource = `apiVersion: sources.knative.dev/v1
kind: ApiServerSource
metadata: {name: wrong}
spec:
  resources:
  - {apiVersion: gateway.networking.k8s.io/v1, kind: Gateway}
  sink: {ref: {apiVersion: v1, kind: Service, name: x}}
`

// The check of the repository is worth what this one shows: wherever the fault
// stands, it is found.
func TestAnApiServerSourceForGatewaysIsFoundWhereverItStands(t *testing.T) {
	resources := watchable(t)
	indented := "      " + strings.ReplaceAll(strings.TrimSpace(gatewaySource), "\n", "\n      ") + "\n"
	for name, file := range map[string]struct{ path, content string }{
		"a file":             {"a.yaml", gatewaySource},
		"the other ending":   {"a.yml", gatewaySource},
		"a directory deep":   {"x/y/z/a.yaml", gatewaySource},
		"a second document":  {"a.yaml", "kind: Namespace\n---\n" + gatewaySource},
		"beside a bad one":   {"a.yaml", "{{ if .x }}\n---\n" + gatewaySource},
		"a list of objects":  {"a.yaml", "kind: List\nitems:\n    -\n" + indented},
		"a patch's text":     {"p.yaml", "patches:\n  - patch: |-\n" + indented},
		"a document's fence": {"a.md", "# Title\n\n```yaml\n" + gatewaySource + "```\n\ntext\n"},
		"a later fence":      {"a.md", "```sh\nls\n```\n\n```yml title=x\n" + gatewaySource + "```\n"},
		"an indented fence":  {"a.md", "1. do\n\n      ```yaml\n" + indented + "      ```\n"},
		"a kustomization": {"k/kustomization.yaml", "resources: [s.yaml]\npatches:\n- target: {kind: ApiServerSource}\n" +
			"  patch: |-\n    - {op: replace, path: /spec/resources/0/kind, value: Gateway}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			write(t, root, file.path, file.content)
			write(t, root, "k/s.yaml", strings.ReplaceAll(gatewaySource, "kind: Gateway}", "kind: ListenerSet}"))
			written, built := watchesBelow(t, root)
			faults := 0
			for _, w := range append(written, built...) {
				if unwatchable(w, resources) != nil {
					faults++
				}
			}
			if faults != 1 {
				t.Errorf("%d faults found in %v %v", faults, written, built)
			}
		})
	}
}

func TestAnApiServerSourceThatCannotBeReadIsAFault(t *testing.T) {
	root := t.TempDir()
	write(t, root, "a.yaml", "kind: ApiServerSource\n  spec: {{ .x }}\n")
	if watches, err := watchesIn(root); err == nil {
		t.Errorf("read as %v", watches)
	}
}

func TestWhatIsNoPartOfTheRepositoryIsNotRead(t *testing.T) {
	root := t.TempDir()
	write(t, root, ".git/a.yaml", gatewaySource)
	write(t, root, "bin/a.yaml", gatewaySource)
	if watches, err := watchesIn(root); err != nil || len(watches) > 0 {
		t.Errorf("read %v: %v", watches, err)
	}
}

func write(t testing.TB, root, path, content string) {
	t.Helper()
	file := filepath.Join(root, path)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatalf("make a directory: %v", err)
	}
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatalf("write a file: %v", err)
	}
}
