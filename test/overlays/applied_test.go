package overlays

import (
	"path/filepath"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// Of the API server's own kinds, too, it is the API server that says what is valid.
func TestTheAPIServerTakesEveryExample(t *testing.T) {
	examples, err := filepath.Glob("../../knative/examples/*")
	namespace.Must(t, err)
	if len(examples) == 0 {
		t.Fatal("there are no examples")
	}
	for _, example := range examples {
		for way, flags := range map[string][]string{
			"client-side": nil,
			"server-side": {"--server-side", "--field-manager=argocd-controller", "--force-conflicts"},
		} {
			t.Run(filepath.Base(example)+"/"+way, func(t *testing.T) {
				_, err := system.Kubectl(t.Context(), "", append([]string{"apply", "--dry-run=server", "-k", example}, flags...)...)
				namespace.Must(t, err)
			})
		}
	}
}
