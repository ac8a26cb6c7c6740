package zero

import (
	"encoding/json"
	"fmt"
	"strconv"
	"testing"
)

// limit gives the handler so much memory.
func limit(t *testing.T, memory string) {
	t.Helper()
	patchService(t, "json", fmt.Sprintf(
		`[{"op":"replace","path":"/spec/template/spec/containers/0/resources/limits/memory","value":%q}]`, memory))
}

// scale gives the handler a least and a most number of replicas.
func scale(t *testing.T, least, most int) {
	t.Helper()
	annotate(t, map[string]string{"autoscaling.knative.dev/min-scale": strconv.Itoa(least), "autoscaling.knative.dev/max-scale": strconv.Itoa(most)})
}

// annotate makes a new Revision with annotations; an empty one is taken off.
func annotate(t *testing.T, wanted map[string]string) {
	t.Helper()
	annotations := map[string]any{}
	for name, value := range wanted {
		annotations[name] = value
		if value == "" {
			annotations[name] = nil
		}
	}
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"template": map[string]any{"metadata": map[string]any{"annotations": annotations}}}})
	if err != nil {
		t.Fatal(err)
	}
	patchService(t, "merge", string(patch))
}

// patchService changes the handler's Service and waits until the Revision of it is
// Ready.
func patchService(t *testing.T, kind, patch string) {
	t.Helper()
	run(t, "", "-n", productNamespace, "patch", "ksvc", handlerService, "--type="+kind, "--patch", patch)
	serviceReady(t, productNamespace, handlerService)
}

func revision(t *testing.T) string {
	t.Helper()
	return run(t, "", "-n", productNamespace, "get", "ksvc", handlerService, "-o", "jsonpath={.status.latestReadyRevisionName}")
}
