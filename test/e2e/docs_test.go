package e2e

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
	gatewayclient "sigs.k8s.io/gateway-api/pkg/client/clientset/versioned/typed/apis/v1"
	"sigs.k8s.io/yaml"
)

// fences returns the YAML examples of a page: whole objects, and parts of one.
func fences(t *testing.T, page string) (objects, parts []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", page))
	must(t, err)
	pieces := strings.Split(string(text), "```yaml\n")
	for _, piece := range pieces[1:] {
		example, _, _ := strings.Cut(piece, "```")
		if strings.HasPrefix(example, "apiVersion:") {
			objects = append(objects, example)
		} else {
			parts = append(parts, example)
		}
	}
	return objects, parts
}

// applyExamples applies objects as a reader of the page would, in namespaces of
// the names that they use.
func applyExamples(t *testing.T, objects []string) {
	t.Helper()
	for _, namespace := range []string{"infra", "team-a"} {
		if _, err := system.Kubectl(t.Context(), "", "get", "namespace", namespace); err != nil {
			_, err := system.Kubectl(t.Context(), "", "create", "namespace", namespace)
			must(t, err)
		}
	}
	_, err := system.Kubectl(t.Context(), strings.Join(objects, "---\n"), "apply", "-f", "-")
	must(t, err)
}

// listener waits for one of a Gateway in infra.
func listener(t *testing.T, gateway string, name gatewayv1.SectionName) gatewayv1.Listener {
	t.Helper()
	client, err := gatewayclient.NewForConfig(system.Config())
	must(t, err)
	var found gatewayv1.Listener
	err = wait.PollUntilContextTimeout(t.Context(), pollEach, patience, true, func(ctx context.Context) (bool, error) {
		gateway, err := client.Gateways("infra").Get(ctx, gateway, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		for _, l := range gateway.Spec.Listeners {
			if l.Name == name {
				found = l
				return true, nil
			}
		}
		return false, nil
	})
	if err != nil {
		t.Fatalf("wait for listener %s of Gateway %s: %v", name, gateway, err)
	}
	return found
}

func TestTheREADMEsCertificateGetsTheREADMEsListener(t *testing.T) {
	objects, parts := fences(t, "README.md")
	if len(objects) != 2 || len(parts) != 1 {
		t.Fatalf("README.md has %d objects and %d parts, want 2 and 1", len(objects), len(parts))
	}
	var want gatewayv1.Listener
	must(t, yaml.UnmarshalStrict([]byte(parts[0]), &want))
	applyExamples(t, objects)
	if diff := cmp.Diff(want, listener(t, "edge", want.Name)); diff != "" {
		t.Errorf("listener (-README.md +Gateway):\n%s", diff)
	}
}

func TestTheContractsExamplesDoWhatItSays(t *testing.T) {
	objects, _ := fences(t, "docs/contract.md")
	if len(objects) != 2 {
		t.Fatalf("docs/contract.md has %d objects, want 2", len(objects))
	}
	applyExamples(t, objects)
	for _, name := range []gatewayv1.SectionName{"auto-tenant-team-a-example-com", "auto-tenant-wildcard-team-a-example-com"} {
		got := listener(t, "shared", name)
		if got.Port != 9443 {
			t.Errorf("%s has port %d, want 9443", name, got.Port)
		}
		if namespace := got.TLS.CertificateRefs[0].Namespace; namespace == nil || *namespace != "team-a" {
			t.Errorf("%s refers to a Secret in %v, want team-a", name, namespace)
		}
	}
}
