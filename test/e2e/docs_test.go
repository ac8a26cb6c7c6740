package e2e

import (
	"context"
	"os"
	"path/filepath"
	"slices"
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
	// --server-side, because a namespace made just above was not applied before.
	_, err := system.Kubectl(t.Context(), strings.Join(objects, "---\n"), "apply", "--server-side", "-f", "-")
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
	if len(objects) != 6 {
		t.Fatalf("docs/contract.md has %d objects, want 6", len(objects))
	}
	applyExamples(t, objects)

	long := listener(t, "the-gateway-of-the-department-for-names-that-are-longer-than-a-label", "auto-long-long-example-com")
	wantRoutes := &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
		{Key: "routes", Operator: metav1.LabelSelectorOpIn, Values: []string{"partner", "public"}},
	}}
	if diff := cmp.Diff(wantRoutes, long.AllowedRoutes.Namespaces.Selector); diff != "" {
		t.Errorf("the Gateway owner's routes (-want +got):\n%s", diff)
	}
	// The Gateway takes Certificates that have been Ready, and nothing here makes
	// this one so but us.
	_, err := system.Kubectl(t.Context(), "", "patch", "certificate", "tenant", "-n", "team-a", "--subresource=status", "--type=merge",
		"-p", `{"status":{"conditions":[{"type":"Ready","status":"True","reason":"Ready","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}`)
	must(t, err)
	for _, name := range []gatewayv1.SectionName{"auto-tenant-team-a-example-com", "auto-tenant-wildcard-team-a-example-com"} {
		got := listener(t, "shared", name)
		if got.Port != 9443 || *got.AllowedRoutes.Namespaces.From != gatewayv1.NamespacesFromAll {
			t.Errorf("%s has port %d and routes from %s, want 9443 and All", name, got.Port, *got.AllowedRoutes.Namespaces.From)
		}
		if namespace := got.TLS.CertificateRefs[0].Namespace; namespace == nil || *namespace != "team-a" {
			t.Errorf("%s refers to a Secret in %v, want team-a", name, namespace)
		}
	}
	expectReasons(t, "tenant", "CertificateNotReady", "HostnameNotAllowed", "SharedSecret")
}

// expectReasons waits until the Events about a Certificate in team-a have just
// these reasons, as the page's command shows them.
func expectReasons(t *testing.T, certificate string, want ...string) {
	t.Helper()
	var got []string
	err := wait.PollUntilContextTimeout(t.Context(), pollEach, patience, true, func(context.Context) (bool, error) {
		out, err := system.Kubectl(t.Context(), "", "events", "-n", "team-a", "--for", "certificate/"+certificate, "-o", "jsonpath={.items[*].reason}")
		must(t, err)
		got = strings.Fields(out)
		slices.Sort(got)
		got = slices.Compact(got)
		return slices.Equal(want, got), nil
	})
	if err != nil {
		t.Errorf("Events about %s have reasons %v, want %v", certificate, got, want)
	}
}
