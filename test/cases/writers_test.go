package cases

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// The sum of the pauses, 200 ms doubling up to 2 s, is 9 s.
func TestW01AWriterThatUndoesUsTenTimesIsPutRightEachTimeMoreSlowlyAndNamed(t *testing.T) {
	s := newEmptyScene(t)
	s.createAs("flux")
	s.CreateCertificate(app, edge, "app.example.com")
	s.told(reconcile.Add, s.certificate(app))
	s.expect(appListener)
	served := s.RawListeners(edge)
	for round := 1; round <= 10; round++ {
		s.updateGatewayAs("flux", func(g *gatewayv1.Gateway) { g.Spec.Listeners = g.Spec.Listeners[:1] })
		start := time.Now()
		o := s.writtenOnce(s.look)
		took := time.Since(start)
		if diff := cmp.Diff(served, s.RawListeners(edge)); diff != "" {
			t.Errorf("round %d: listeners (-before +after):\n%s", round, diff)
		}
		if round < 4 {
			expectFindings(t, o)
			continue
		}
		expectFindings(t, o, "ConflictingWriter")
		if least := min(200*time.Millisecond<<(round-4), 2*time.Second); took < least {
			t.Errorf("round %d took %s, want %s at least", round, took, least)
		}
	}
	e := s.event(s.Gateway(edge), corev1.EventTypeWarning, plan.ReasonConflictingWriter, `"flux"`, plan.LedgerKey)
	if n := times(e); n != 1 {
		t.Errorf("said %d times, want once", n)
	}
	if n := len(s.complaints(s.Gateway(edge))); n != 1 {
		t.Errorf("%d Events, want 1", n)
	}
}

// createAs makes edge by another field manager.
func (s *scene) createAs(manager string) {
	s.t.Helper()
	_, err := s.Gateways.Create(s.t.Context(), &gatewayv1.Gateway{
		ObjectMeta: metav1.ObjectMeta{Name: edge},
		Spec: gatewayv1.GatewaySpec{
			GatewayClassName: "example", Listeners: []gatewayv1.Listener{httpListener("http", 80)},
		},
	}, metav1.CreateOptions{FieldManager: manager})
	must(s.t, err)
	s.userOwned = s.RawListeners(edge)
}

// manifest is the Gateway as its owner keeps it in a file, with an HTTP listener
// on that port.
func (s *scene) manifest(port int) string {
	return fmt.Sprintf(`{
  "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway",
  "metadata": {"name": "edge", "namespace": %q},
  "spec": {"gatewayClassName": "example", "listeners": [{"name": "http", "port": %d, "protocol": "HTTP"}]}
}`, s.Name, port)
}

func (s *scene) kubectlApply(manifest string) {
	s.t.Helper()
	s.kubectl(manifest, "apply")
}

// kubectl gives the manifest to one of kubectl's commands.
func (s *scene) kubectl(manifest, command string) {
	s.t.Helper()
	dir := s.t.TempDir()
	kubeconfig := filepath.Join(dir, "kubeconfig")
	must(s.t, plane.WriteKubeconfig(kubeconfig))
	cmd := exec.CommandContext(s.t.Context(), assets.Kubectl(), command, "--cache-dir", filepath.Join(dir, "cache"), "-f", "-")
	cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	cmd.Stdin = strings.NewReader(manifest)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		s.t.Fatalf("kubectl %s: %v: %s", command, err, stderr.String())
	}
}

func TestW02OurListenersComeBackAfterKubectlApplyOfTheOriginalManifest(t *testing.T) {
	s := newEmptyScene(t)
	s.kubectlApply(s.manifest(80))
	s.userOwned = s.RawListeners(edge)
	s.CreateCertificate(app, edge, "app.example.com")
	s.told(reconcile.Add, s.certificate(app))
	s.expect(appListener)
	served := s.RawListeners(edge)
	for range 2 {
		s.kubectlApply(s.manifest(80))
		if n := len(s.RawListeners(edge)); n != 1 {
			t.Fatalf("kubectl apply left %d listeners, want 1: the row tests nothing", n)
		}
		expectFindings(t, s.writtenOnce(s.look))
		if diff := cmp.Diff(served, s.RawListeners(edge)); diff != "" {
			t.Errorf("listeners (-before +after):\n%s", diff)
		}
		s.expect(appListener)
	}
}

func TestW03OurListenersSurviveServerSideApplyByAnotherManager(t *testing.T) {
	s := newEmptyScene(t)
	apply := func(port int) {
		_, err := s.Gateways.Patch(t.Context(), edge, types.ApplyPatchType, []byte(s.manifest(port)),
			metav1.PatchOptions{FieldManager: "argocd", Force: new(true)})
		must(t, err)
	}
	apply(80)
	s.userOwned = s.RawListeners(edge)
	s.CreateCertificate(app, edge, "app.example.com")
	s.told(reconcile.Add, s.certificate(app))
	s.expect(appListener)
	ours := s.RawListeners(edge)["auto-app-app-example-com"]
	for _, port := range []int{80, 8080} {
		apply(port)
		s.userOwned["http"] = s.RawListeners(edge)["http"]
		if now := s.RawListeners(edge)["auto-app-app-example-com"]; now != ours {
			t.Errorf("ours was\n%s\nand is\n%s", ours, now)
		}
		expectFindings(t, s.unwritten(s.look))
		s.expect(appListener)
	}
}

// legacy is a listener as the gateway-cert-operator wrote it.
func (s *scene) legacy(name gatewayv1.SectionName, hostname gatewayv1.Hostname, secret gatewayv1.ObjectName) gatewayv1.Listener {
	return gatewayv1.Listener{
		Name: name, Hostname: new(hostname), Port: 443, Protocol: gatewayv1.HTTPSProtocolType,
		TLS: &gatewayv1.ListenerTLSConfig{
			Mode:            new(gatewayv1.TLSModeTerminate),
			CertificateRefs: []gatewayv1.SecretObjectReference{{Name: secret, Namespace: new(gatewayv1.Namespace(s.Name))}},
		},
		AllowedRoutes: &gatewayv1.AllowedRoutes{Namespaces: &gatewayv1.RouteNamespaces{From: new(gatewayv1.NamespacesFromAll)}},
	}
}

func TestW04ListenersOfTheOldOperatorAreTakenOverAsTheyAreAndStaleOnesLeftAlone(t *testing.T) {
	s := newEmptyScene(t)
	long := strings.Repeat("long-", 10) + "name"
	longName := gatewayv1.SectionName("auto-" + long + "-www-long-example-com") // 76 characters
	s.CreateGateway(edge, func(g *gatewayv1.Gateway) {
		g.Spec.Listeners = append(g.Spec.Listeners,
			s.legacy("auto-gone-gone-example-com", "gone.example.com", "gone-tls"),
			s.legacy("auto-app-app-example-com", "app.example.com", "app-tls"),
			s.legacy("auto-app-former-example-com", "former.example.com", "app-tls"),
			s.legacy("auto-my.app-wildcard-x-com", "*.x.com", "my.app-tls"),
			s.legacy(longName, "www.long.example.com", gatewayv1.ObjectName(long+"-tls")),
		)
	})
	before := s.RawListeners(edge)
	for _, stale := range []gatewayv1.SectionName{"http", "auto-gone-gone-example-com", "auto-app-former-example-com"} {
		s.userOwned[stale] = before[stale]
	}
	s.CreateCertificate("my.app", edge, "*.x.com")
	s.CreateCertificate(long, edge, "www.long.example.com")
	s.CreateCertificate(app, edge, "app.example.com")

	generation := s.Gateway(edge).Generation
	o := s.told(reconcile.Add, s.certificate(app))
	if o.Verdict != reconcile.Patched || len(o.Plan.Changes) != 0 {
		t.Errorf("verdict %s with changes %+v, want only the ledger written", o.Verdict, o.Plan.Changes)
	}
	expectFindings(t, o, "LedgerCorrected app app.example.com", "LedgerCorrected my.app *.x.com", "LedgerCorrected "+long+" www.long.example.com")
	if diff := cmp.Diff(before, s.RawListeners(edge)); diff != "" {
		t.Errorf("listeners (-before +after):\n%s", diff)
	}
	if now := s.Gateway(edge).Generation; now != generation {
		t.Errorf("generation was %d and is %d", generation, now)
	}
	s.event(s.Gateway(edge), corev1.EventTypeNormal, plan.ReasonLedgerCorrected, "auto-app-app-example-com", "taken over")
	s.expect(
		"auto-app-app-example-com app.example.com:443 "+s.Name+"/app-tls",
		"auto-my.app-wildcard-x-com *.x.com:443 "+s.Name+"/my.app-tls",
		fmt.Sprintf("%s www.long.example.com:443 %s/%s-tls", longName, s.Name, long),
	)

	// From here on they are ours.
	s.writtenOnce(func() reconcile.Outcome { return s.remove("my.app") })
	s.writtenOnce(func() reconcile.Outcome {
		return s.change(app, func(c *certmanagerv1.Certificate) { c.Spec.SecretName = "new-tls" })
	})
	s.expect(
		"auto-app-app-example-com app.example.com:443 new-tls",
		fmt.Sprintf("%s www.long.example.com:443 %s/%s-tls", longName, s.Name, long),
	)
}

func TestW05AListenerThatComesBetweenOurReadAndOurPatchSurvivesAndOursArrives(t *testing.T) {
	for name, meanwhile := range map[string]func(*gatewayv1.Gateway){
		"at the end": addListener(httpListener("theirs", 8080)),
		"in front": func(g *gatewayv1.Gateway) {
			g.Spec.Listeners = append([]gatewayv1.Listener{httpListener("theirs", 8080)}, g.Spec.Listeners...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServedScene(t)
			s.cluster.beforeWrite.Store(new(func() { s.updateGateway(meanwhile) }))
			o := s.change(app, func(c *certmanagerv1.Certificate) {
				c.Spec.SecretName, c.Spec.DNSNames = "new-tls", []string{"app.example.com", "two.example.com"}
			})
			if o.Attempts != 2 || o.Verdict != reconcile.Patched {
				t.Errorf("verdict %s after %d attempts, want Patched after 2", o.Verdict, o.Attempts)
			}
			if len(s.userOwned) != 2 {
				t.Errorf("user-owned are %v, want theirs among them", s.userOwned)
			}
			s.expect("auto-app-app-example-com app.example.com:443 new-tls", "auto-app-two-example-com two.example.com:443 new-tls")
		})
	}
}

func TestW06AHundredChangesLeaveOneManagedFieldsEntryOfOurs(t *testing.T) {
	s := newServedScene(t)
	for i := range 100 {
		s.writtenOnce(func() reconcile.Outcome {
			return s.change(app, func(c *certmanagerv1.Certificate) { c.Spec.SecretName = fmt.Sprintf("app-tls-%d", i) })
		})
	}
	s.expect("auto-app-app-example-com app.example.com:443 app-tls-99")
	entries := 0
	for _, entry := range s.Gateway(edge).ManagedFields {
		if entry.Manager == cluster.FieldManager {
			entries++
		}
	}
	if entries != 1 {
		t.Errorf("%d managedFields entries of ours, want 1", entries)
	}
}

// withTests is a user's JSON Patch, applied only to the Gateway that he has seen.
func withTests(gateway *gatewayv1.Gateway, steps ...map[string]any) ([]byte, error) {
	return json.Marshal(append([]map[string]any{
		{"op": "test", "path": "/metadata/resourceVersion", "value": gateway.ResourceVersion},
	}, steps...))
}

// patchRaw returns the Gateway's listeners after it, as RawListeners does.
func (s *scene) patchRaw(ctx context.Context, patch []byte) (map[gatewayv1.SectionName]string, error) {
	body, err := s.gatewayAPI.RESTClient().Patch(types.JSONPatchType).Namespace(s.Name).Resource("gateways").Name(edge).Body(patch).DoRaw(ctx)
	if err != nil {
		return nil, err
	}
	var object struct {
		Spec struct{ Listeners []json.RawMessage }
	}
	if err := json.Unmarshal(body, &object); err != nil {
		return nil, err
	}
	raw := map[gatewayv1.SectionName]string{}
	for _, listener := range object.Spec.Listeners {
		var named struct{ Name gatewayv1.SectionName }
		if err := json.Unmarshal(listener, &named); err != nil {
			return nil, err
		}
		raw[named.Name] = string(listener)
	}
	return raw, nil
}
