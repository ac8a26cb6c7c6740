package overlays

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/knative"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

const (
	// patience is how long a change may take to arrive; it takes well under a
	// second on a quiet machine.
	patience = 20 * time.Second
	pollEach = 20 * time.Millisecond
)

// apply applies another overlay and lets its sources begin; the end of the test
// brings back those of singleSource.
func apply(t *testing.T, overlay string) {
	t.Helper()
	change(t, overlay)
	t.Cleanup(func() { change(t, singleSource) })
}

func change(t *testing.T, overlay string) {
	t.Helper()
	namespace.Must(t, system.StopAdapters())
	_, err := system.Kubectl(system.ctx, "", "apply", "-k", "../../"+overlay)
	namespace.Must(t, err)
	namespace.Must(t, system.StartAdapters(system.ctx))
}

// configMap is one that an overlay makes, with one key.
type configMap struct{ name, key, value string }

// applyComponent applies an overlay over singleSource that takes up a component.
func applyComponent(t *testing.T, component string, from configMap) {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs("../..")
	namespace.Must(t, err)
	up, err := filepath.Rel(dir, root)
	namespace.Must(t, err)
	namespace.Must(t, os.WriteFile(filepath.Join(dir, from.key), []byte(from.value), 0o600))
	namespace.Must(t, os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(
		"resources: ["+up+"/"+singleSource+"]\n"+
			"components: ["+up+"/knative/components/"+component+"]\n"+
			"configMapGenerator:\n- {name: "+from.name+", files: ["+from.key+"]}\n"), 0o600))
	_, err = system.Kubectl(t.Context(), "", "apply", "-k", dir)
	namespace.Must(t, err)
}

// served makes a Gateway and a Certificate that has a listener on it.
func served(t *testing.T, in *namespace.Namespace, gateway string, mutate func(*gatewayv1.Gateway)) {
	t.Helper()
	in.CreateGateway(gateway, mutate)
	in.CreateCertificate("for-"+gateway, gateway, gateway+".example.com")
	expectServed(t, in, gateway)
}

func isServed(in *namespace.Namespace, gateway string) bool {
	return len(in.Gateway(gateway).Spec.Listeners) == 2
}

func expectServed(t *testing.T, in *namespace.Namespace, gateway string) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), pollEach, patience, true, func(context.Context) (bool, error) {
		return isServed(in, gateway), nil
	})
	if err != nil {
		t.Fatalf("after %s Gateway %s does not have its listener", patience, gateway)
	}
}

// wipe takes the listener off, as somebody else's write would.
func wipe(t *testing.T, in *namespace.Namespace, name string) {
	t.Helper()
	gateway := in.Gateway(name)
	gateway.Spec.Listeners = gateway.Spec.Listeners[:1]
	update(t, in, gateway)
}

func update(t *testing.T, in *namespace.Namespace, gateway *gatewayv1.Gateway) {
	t.Helper()
	_, err := in.Gateways.Update(t.Context(), gateway, metav1.UpdateOptions{FieldManager: "somebody"})
	namespace.Must(t, err)
}

// sweep is what the PingSource sends.
func sweep(t *testing.T) {
	t.Helper()
	ping := event.New()
	ping.SetID("1")
	ping.SetSource("test")
	ping.SetType(knative.Ping)
	request, err := cehttp.NewHTTPRequestFromEvent(t.Context(), system.HandlerURL(), ping)
	namespace.Must(t, err)
	response, err := http.DefaultClient.Do(request)
	namespace.Must(t, err)
	namespace.Must(t, response.Body.Close())
	if response.StatusCode >= http.StatusMultipleChoices {
		t.Fatalf("the ping was answered %s", response.Status)
	}
}

// sources are the sources that watch the API server, as KIND/NAME.
func sources(t *testing.T) []string {
	t.Helper()
	text, err := system.Kubectl(t.Context(), "", "get", "apiserversources,containersources", "-A", "-o", "name")
	namespace.Must(t, err)
	return strings.Fields(text)
}
