package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/trace/noop"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
	"sigs.k8s.io/yaml"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// recorded is what a gateway-cert-operator has left on a real API server: it was
// run on the Certificates of testdata/operator.yaml, with one more, gone, that was
// deleted after the operator had been stopped. In the file are two namespaces,
// infra and team-a.
type recorded struct {
	shell
	infra, tenant *namespace.Namespace
	settings      string // a file
}

// asBefore are the settings of docs/migrate.md.
const asBefore = `apiVersion: gateway-cert-operator.io/v1alpha1
kind: HandlerConfig
defaults:
  certificateNamespaces: All
  allowedRoutes: All
`

func newRecorded(t *testing.T) *recorded {
	t.Helper()
	r := &recorded{
		shell: newShell(t), infra: namespace.New(t, plane.Config()), tenant: namespace.New(t, plane.Config()),
		settings: filepath.Join(t.TempDir(), "config.yaml"),
	}
	namespace.Must(t, os.WriteFile(r.settings, []byte(asBefore), 0o600))
	text, err := os.ReadFile("testdata/operator.yaml")
	namespace.Must(t, err)
	here := strings.NewReplacer("infra", r.infra.Name, "team-a", r.tenant.Name).Replace(string(text))
	for document := range strings.SplitSeq(here, "---\n") {
		r.create(document)
	}
	return r
}

func (r *recorded) create(document string) {
	r.t.Helper()
	asJSON, err := yaml.YAMLToJSONStrict([]byte(document))
	namespace.Must(r.t, err)
	var kind metav1.PartialObjectMetadata
	namespace.Must(r.t, json.Unmarshal(asJSON, &kind))
	in := map[string]*namespace.Namespace{r.infra.Name: r.infra, r.tenant.Name: r.tenant}[kind.Namespace]
	if kind.Kind == "Gateway" {
		var gateway gatewayv1.Gateway
		namespace.Must(r.t, json.Unmarshal(asJSON, &gateway))
		_, err = in.Gateways.Create(r.t.Context(), &gateway, metav1.CreateOptions{})
	} else {
		var certificate certmanagerv1.Certificate
		namespace.Must(r.t, json.Unmarshal(asJSON, &certificate))
		_, err = in.Certificates.Create(r.t.Context(), &certificate, metav1.CreateOptions{})
	}
	namespace.Must(r.t, err)
}

// handle is the handler's look at everything, by the settings.
func (r *recorded) handle() {
	r.t.Helper()
	settings, err := config.Load(r.settings)
	namespace.Must(r.t, err)
	apiServer, err := cluster.New(plane.Config(), noop.NewTracerProvider())
	namespace.Must(r.t, err)
	_, err = reconcile.New(reconcile.Options{
		Cluster: apiServer, Tracing: noop.NewTracerProvider(),
		Policy: func() reconcile.Policy { return reconcile.Policy{Defaults: settings.GatewayDefaults()} },
	}).Handle(r.t.Context(), reconcile.Change{Kind: reconcile.Everything})
	namespace.Must(r.t, err)
}

// serves is what clients see of a Gateway's listeners: where they are, and with
// whose Secret.
func serves(gateway *gatewayv1.Gateway) map[gatewayv1.SectionName]string {
	all := map[gatewayv1.SectionName]string{}
	for _, l := range gateway.Spec.Listeners {
		hostname, secret := gatewayv1.Hostname(""), ""
		if l.Hostname != nil {
			hostname = *l.Hostname
		}
		if l.TLS != nil {
			for _, ref := range l.TLS.CertificateRefs {
				namespace := gateway.Namespace
				if ref.Namespace != nil {
					namespace = string(*ref.Namespace)
				}
				secret += namespace + "/" + string(ref.Name)
			}
		}
		all[l.Name] = fmt.Sprintf("%s %s:%d %s", l.Protocol, hostname, l.Port, secret)
	}
	return all
}

func TestW4WhatTheOperatorLeftIsTakenOverWithoutAnInterruption(t *testing.T) {
	r := newRecorded(t)
	want := map[string]map[gatewayv1.SectionName]string{}
	for _, name := range []string{"edge", "internal"} {
		want[name] = serves(r.infra.Gateway(name))
	}
	if len(want["edge"]) != 7 || len(want["internal"]) != 3 {
		t.Fatalf("the recording has %v", want)
	}
	delete(want["edge"], "auto-gone-gone-example-com") // stale
	seen := watchAll(t, r.infra)

	for _, in := range []string{r.tenant.Name, r.infra.Name} {
		if stdout, stderr, code := r.run("migrate", "-n", in, "--config", r.settings, "--apply"); code != 0 {
			t.Fatalf("migrate leaves with %d: %s%s", code, stderr, stdout)
		}
	}
	r.handle()

	for name, listeners := range want {
		if diff := cmp.Diff(listeners, serves(r.infra.Gateway(name))); diff != "" {
			t.Errorf("Gateway %s (-as the operator left it +now):\n%s", name, diff)
		}
	}
	last := map[string]string{}
	for name := range want {
		last[name] = r.infra.Gateway(name).ResourceVersion
	}
	for _, gateway := range seen(last) {
		for name, what := range want[gateway.Name] {
			if got := serves(gateway)[name]; got != what {
				t.Errorf("at resourceVersion %s listener %s of %s is %q, want %q all the time", gateway.ResourceVersion, name, gateway.Name, got, what)
			}
		}
	}
}

// watchAll returns what returns every state of the Gateways from now on, up to that
// resourceVersion of each.
func watchAll(t *testing.T, in *namespace.Namespace) func(upTo map[string]string) []*gatewayv1.Gateway {
	t.Helper()
	changes, err := in.Gateways.Watch(t.Context(), metav1.ListOptions{})
	namespace.Must(t, err)
	return func(upTo map[string]string) (all []*gatewayv1.Gateway) {
		defer changes.Stop()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for len(upTo) > 0 {
			select {
			case <-ctx.Done():
				t.Fatalf("resourceVersions %v have not been seen: %v", upTo, ctx.Err())
			case change := <-changes.ResultChan():
				gateway, ok := change.Object.(*gatewayv1.Gateway)
				if !ok || change.Type == watch.Deleted {
					t.Fatalf("the watch says %+v", change)
				}
				all = append(all, gateway)
				if upTo[gateway.Name] == gateway.ResourceVersion {
					delete(upTo, gateway.Name)
				}
			}
		}
		return all
	}
}
