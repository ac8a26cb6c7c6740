package diff_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/diff"
	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/screen"
	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/view"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/test/golden"
	"gateway-cert-operator.io/gateway-cert-handler/test/sample"
)

func named(namespace, name string) types.NamespacedName {
	return types.NamespacedName{Namespace: namespace, Name: name}
}

func one(c *sample.Cluster) diff.Gateway {
	return diff.Of(c.View, []types.NamespacedName{sample.EdgeName}).Gateways[0]
}

// busy has one of everything: listeners to come, to change and to go, one that
// stays, a refusal, and beside it Gateways that are paused, in a dry run, missing
// and hidden.
func busy() (*sample.Cluster, []types.NamespacedName) {
	c := sample.New()
	c.Add(sample.Certificate(named("infra", "gone"), "gone.example.com"))
	c.Add(sample.Certificate(named("infra", "port"), "port.example.com"))
	c.Settle()
	c.Certificates[2].Annotations = map[string]string{plan.ListenerPortKey: "8443"}
	c.Certificates[2].Spec.SecretName = "new-tls"
	c.Certificates[1] = sample.Certificate(named("infra", "shop"), "shop.example.com", "app.example.com")
	paused := c.Edge.DeepCopy()
	paused.Name, paused.Annotations = "paused", map[string]string{plan.PausedKey: "true"}
	c.Gateways[plan.NameOf(paused)] = paused
	trial := c.Edge.DeepCopy()
	trial.Name, trial.Annotations, trial.Spec.Listeners = "trial", map[string]string{plan.ModeKey: "DryRun"}, trial.Spec.Listeners[:1]
	c.Gateways[plan.NameOf(trial)] = trial
	tried := sample.Certificate(named("infra", "new"), "new.example.com")
	tried.Labels[plan.GatewayNameKey] = "trial"
	c.Add(tried)
	waiting := sample.Certificate(named("infra", "typo"), "typo.example.com")
	waiting.Labels[plan.GatewayNameKey] = "egde"
	c.Add(waiting)
	c.Hidden = map[types.NamespacedName]bool{named("infra", "secret"): true}
	c.Miss(view.Gap{Verb: "get", Resource: "gateways.gateway.networking.k8s.io", Namespace: "infra", Name: "secret", Consequence: "nothing can be told of it"})
	return c, []types.NamespacedName{sample.EdgeName, named("infra", "egde"), plan.NameOf(paused), plan.NameOf(trial), named("infra", "secret")}
}

func TestTheOutput(t *testing.T) {
	c, names := busy()
	r := diff.Of(c.View, names)
	for format, file := range map[screen.Format]string{screen.Table: "plan.txt", screen.Wide: "plan-wide.txt", screen.JSON: "plan.json", screen.YAML: "plan.yaml"} {
		var out strings.Builder
		if err := screen.Show(&out, r, format); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, file, out.String())
	}
	if want := "2 to add, 1 to change, 1 to remove; 2 refused. Nothing was changed."; r.Summary() != want || !r.Pending() {
		t.Errorf("pending: %v; the summary is %q, want %q", r.Pending(), r.Summary(), want)
	}
}

func TestAGatewayAsItShouldBeIsInSync(t *testing.T) {
	c := sample.New()
	r := diff.Of(c.View, []types.NamespacedName{sample.EdgeName})
	if r.Pending() || r.Gateways[0].State != diff.InSync || r.Summary() != "Nothing would change; 0 refused." {
		t.Errorf("pending: %v, %s, %q; want InSync", r.Pending(), r.Gateways[0].State, r.Summary())
	}
}

// Else a pipeline would take a dry run for nothing to do.
func TestWhatADryRunHoldsBackIsPending(t *testing.T) {
	for _, settings := range []plan.Mode{"", plan.ModeDryRun} {
		c := sample.New()
		c.Unwritten()
		if c.Defaults.Mode = settings; settings == "" {
			c.Annotate(plan.ModeKey, "DryRun")
		}
		r := diff.Of(c.View, []types.NamespacedName{sample.EdgeName})
		if of := r.Gateways[0]; !r.Pending() || !of.DryRun || of.State != diff.WouldChange || of.Impact != plan.ImpactAdditive {
			t.Errorf("pending: %v, dry run: %v, %s, %s; want a pending dry run that is additive", r.Pending(), of.DryRun, of.State, of.Impact)
		}
	}
}

func TestALostLedgerIsAChangeOfMetadataAlone(t *testing.T) {
	c := sample.New()
	delete(c.Edge.Annotations, plan.LedgerKey)
	of := one(c)
	if diff := cmp.Diff([]string{plan.LedgerKey}, of.Metadata); diff != "" || len(of.Changes) > 0 || of.State != "WouldChange" {
		t.Errorf("%s with changes %v; metadata (-want +got):\n%s", of.State, of.Changes, diff)
	}
}

func TestWhyIsSaid(t *testing.T) {
	for _, tc := range []struct {
		name   string
		mutate func(*sample.Cluster)
		want   string
	}{
		{"new", (*sample.Cluster).Unwritten, "Certificate team-a/app asks for it"},
		{"taken off", func(c *sample.Cluster) { c.Edge.Spec.Listeners = c.Edge.Spec.Listeners[:1] }, "somebody has taken it off; Certificate team-a/app asks for it"},
		{"other port", func(c *sample.Cluster) { c.Annotate(plan.ListenerPortKey, "8443") }, "not as Certificate team-a/app asks for it"},
		{"gone", func(c *sample.Cluster) { c.Certificates = nil }, "Certificate team-a/app is gone"},
		{"going", func(c *sample.Cluster) { c.App.DeletionTimestamp = &metav1.Time{} }, "Certificate team-a/app is being deleted"},
		{"other Gateway", func(c *sample.Cluster) { c.App.Labels[plan.GatewayNameKey] = "other" }, "Certificate team-a/app does not name this Gateway any more"},
		{"no such name", func(c *sample.Cluster) { c.App.Spec.DNSNames = []string{"*"} }, "Certificate team-a/app does not ask for it any more"},
		{"not allowed", func(c *sample.Cluster) { c.Annotate(plan.AllowedHostnamesKey, "*.example.org") }, "HostnameNotAllowed: hostname app.example.com is outside what Gateway infra/edge takes"},
		{"nobody allowed", func(c *sample.Cluster) { c.Annotate(plan.CertificateNamespacesKey, "Same") }, "NamespaceNotAllowed: Gateway infra/edge takes no Certificates from namespace team-a"},
	} {
		c := sample.New()
		tc.mutate(c)
		if changes := one(c).Changes; len(changes) != 1 || !strings.HasPrefix(changes[0].Why, tc.want) {
			t.Errorf("%s: changes %+v, want one because %s", tc.name, changes, tc.want)
		}
	}
}

func TestFieldsAreShownBeforeAndAfter(t *testing.T) {
	c := sample.New()
	c.App.Spec.SecretName = "new-tls"
	c.Edge.Spec.Listeners[1].Protocol = gatewayv1.TLSProtocolType
	c.Annotate(plan.AllowedRoutesKey, "Same")
	got := map[string][2]any{}
	for _, field := range one(c).Changes[0].Fields {
		got[field.Path] = [2]any{field.From, field.To}
	}
	ref := func(name string) any {
		return []any{map[string]any{"group": "", "kind": "Secret", "name": name, "namespace": "team-a"}}
	}
	want := map[string][2]any{
		"protocol":            {"TLS", "HTTPS"},
		"tls.certificateRefs": {ref("app-tls"), ref("new-tls")},
		"allowedRoutes.namespaces": {
			map[string]any{"from": "Selector", "selector": map[string]any{"matchLabels": map[string]any{"kubernetes.io/metadata.name": "team-a"}}},
			map[string]any{"from": "Same"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
}
