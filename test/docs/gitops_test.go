package docs

import (
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
)

// application is what the page's example for Argo CD says of Gateways.
type application struct {
	Metadata struct{ Annotations map[string]string }
	Spec     struct {
		SyncPolicy        struct{ SyncOptions []string }
		IgnoreDifferences []struct {
			Group, Kind           string
			ManagedFieldsManagers []string
		}
	}
}

func TestTheGitOpsPageHasArgoCDLeaveOurFieldsAlone(t *testing.T) {
	_, example, _ := strings.Cut(read(t, "docs", "gitops.md"), "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	var app application
	if err := yaml.Unmarshal([]byte(example), &app); err != nil {
		t.Fatal(err)
	}
	if options := app.Spec.SyncPolicy.SyncOptions; !slices.Equal(options, []string{"ServerSideApply=true"}) {
		t.Errorf("the options are %v", options)
	}
	if compared := app.Metadata.Annotations["argocd.argoproj.io/compare-options"]; compared != "ServerSideDiff=true" {
		t.Errorf("it is compared by %q", compared)
	}
	if len(app.Spec.IgnoreDifferences) != 1 {
		t.Fatalf("differences are ignored in %d ways, want one", len(app.Spec.IgnoreDifferences))
	}
	ignored := app.Spec.IgnoreDifferences[0]
	if ignored.Group != "gateway.networking.k8s.io" || ignored.Kind != "Gateway" {
		t.Errorf("what is ignored is of %s %s", ignored.Group, ignored.Kind)
	}
	if !slices.Equal(ignored.ManagedFieldsManagers, []string{cluster.FieldManager}) {
		t.Errorf("the field managers are %v, want %s", ignored.ManagedFieldsManagers, cluster.FieldManager)
	}
}
