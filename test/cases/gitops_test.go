package cases

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// inGit is what the owner of edge keeps in a repository.
type inGit struct {
	annotations map[string]string
	listeners   []gatewayv1.Listener
}

// manifest is the Gateway as its owner writes it: with nothing that is not his.
func (g inGit) manifest(t *testing.T, namespace string) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{
		"apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway",
		"metadata": map[string]any{"name": edge, "namespace": namespace, "annotations": g.annotations},
		"spec":     map[string]any{"gatewayClassName": "example", "listeners": g.listeners},
	})
	must(t, err)
	return string(text)
}

// commits are changes that the owner makes one after the other.
var commits = []struct {
	message string
	change  func(*inGit)
}{
	{"nothing", func(*inGit) {}},
	{"another port", func(g *inGit) { g.listeners[0].Port = 8080 }},
	{"one listener more", func(g *inGit) { g.listeners = append(g.listeners, httpListener("more", 8081)) }},
	{"another name for a listener", func(g *inGit) { g.listeners[0].Name = "plain" }},
	{"one listener less", func(g *inGit) { g.listeners = g.listeners[:1] }},
	{"other annotations", func(g *inGit) { g.annotations = map[string]string{"c": "d"} }},
}

const ourListener gatewayv1.SectionName = "auto-app-app-example-com"

// servedFromGit is edge as its owner has brought it in, with a listener of ours.
func servedFromGit(t *testing.T, bring func(*scene, string)) (*scene, inGit) {
	t.Helper()
	s := newEmptyScene(t)
	git := inGit{map[string]string{"a": "b"}, []gatewayv1.Listener{httpListener("http", 80)}}
	bring(s, git.manifest(t, s.Name))
	s.brought(git)
	s.CreateCertificate(app, edge, "app.example.com")
	s.told(reconcile.Add, s.certificate(app))
	s.expect(appListener)
	return s, git
}

// brought takes what is in Git for all that is the owner's.
func (s *scene) brought(git inGit) {
	s.t.Helper()
	raw := s.RawListeners(edge)
	s.userOwned = map[gatewayv1.SectionName]string{}
	for _, l := range git.listeners {
		s.userOwned[l.Name] = raw[l.Name]
	}
}

// expectBeside holds edge to what is in Git and to a listener of ours, byte for
// byte.
func (s *scene) expectBeside(git inGit, ours string) {
	s.t.Helper()
	want := map[gatewayv1.SectionName]gatewayv1.PortNumber{ourListener: 443}
	for _, l := range git.listeners {
		want[l.Name] = l.Port
	}
	gateway := s.Gateway(edge)
	got := map[gatewayv1.SectionName]gatewayv1.PortNumber{}
	for _, l := range gateway.Spec.Listeners {
		got[l.Name] = l.Port
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.t.Errorf("listeners (-want +got):\n%s", diff)
	}
	if now := s.RawListeners(edge)[ourListener]; now != ours {
		s.t.Errorf("ours was\n%s\nand is\n%s", ours, now)
	}
	s.expectAnnotations(git)
}

// expectAnnotations wants the owner's annotations and, beside them, our ledger and
// label.
func (s *scene) expectAnnotations(git inGit) {
	s.t.Helper()
	gateway := s.Gateway(edge)
	annotations := maps.Clone(gateway.Annotations)
	delete(annotations, "kubectl.kubernetes.io/last-applied-configuration")
	if annotations[plan.LedgerKey] == "" || gateway.Labels[plan.ManagedKey] != plan.ManagedValue {
		s.t.Errorf("the ledger or its label is gone: %v, %v", gateway.Annotations, gateway.Labels)
	}
	delete(annotations, plan.LedgerKey)
	if diff := cmp.Diff(git.annotations, annotations); diff != "" {
		s.t.Errorf("the owner's annotations (-want +got):\n%s", diff)
	}
}

// serverSideApply is without force: nothing that the owner says is ours.
func (s *scene) serverSideApply(manager, manifest string, dryRun ...string) *gatewayv1.Gateway {
	s.t.Helper()
	applied, err := s.Gateways.Patch(s.t.Context(), edge, types.ApplyPatchType, []byte(manifest),
		metav1.PatchOptions{FieldManager: manager, DryRun: dryRun})
	must(s.t, err)
	return applied
}

func TestW03WhatChangesInGitArrivesBesideOursByServerSideApply(t *testing.T) {
	for _, manager := range []string{"argocd-controller", "kustomize-controller"} {
		t.Run(manager, func(t *testing.T) {
			s, git := servedFromGit(t, func(s *scene, manifest string) { s.serverSideApply(manager, manifest) })
			ours := s.RawListeners(edge)[ourListener]
			for _, commit := range commits {
				t.Log(commit.message)
				git.listeners = slices.Clone(git.listeners)
				commit.change(&git)
				s.serverSideApply(manager, git.manifest(t, s.Name))
				s.brought(git)
				s.expectBeside(git, ours)
				s.unwritten(s.look)
			}
		})
	}
}

// Flux compares what stands with what an apply would make of it, and so does Argo CD
// with ServerSideDiff.
func TestW03OursAreNoDriftToServerSideApply(t *testing.T) {
	const manager = "argocd-controller"
	s, git := servedFromGit(t, func(s *scene, manifest string) { s.serverSideApply(manager, manifest) })
	stands := s.Gateway(edge)
	predicted := s.serverSideApply(manager, git.manifest(t, s.Name), metav1.DryRunAll)
	stands.ManagedFields, predicted.ManagedFields = nil, nil // the time of an apply
	if diff := cmp.Diff(stands, predicted); diff != "" {
		t.Errorf("drift (-stands +predicted):\n%s", diff)
	}
	git.listeners[0].Port = 8080
	predicted = s.serverSideApply(manager, git.manifest(t, s.Name), metav1.DryRunAll)
	if cmp.Equal(stands.Spec, predicted.Spec) {
		t.Error("a change in Git makes no drift: the comparison shows nothing")
	}
}

// kubectl apply knows no list with keys in a kind that comes by a CRD: whatever is
// in Git, the list is written whole.
func TestW02WhatChangesInGitArrivesByKubectlApplyAndOursComeBack(t *testing.T) {
	s, git := servedFromGit(t, (*scene).kubectlApply)
	ours := s.RawListeners(edge)[ourListener]
	for _, commit := range commits {
		t.Log(commit.message)
		git.listeners = slices.Clone(git.listeners)
		commit.change(&git)
		s.kubectlApply(git.manifest(t, s.Name))
		if n := len(s.RawListeners(edge)); n != len(git.listeners) {
			t.Fatalf("kubectl apply left %d listeners, want %d: ours stay by themselves", n, len(git.listeners))
		}
		s.expectAnnotations(git)
		s.brought(git)
		s.writtenOnce(s.look)
		s.expectBeside(git, ours)
	}
}

// kubectl replace takes the ledger off too.
func TestW02OursComeBackWithTheirLedgerAfterKubectlReplace(t *testing.T) {
	s, git := servedFromGit(t, (*scene).kubectlApply)
	ours := s.RawListeners(edge)[ourListener]
	s.kubectl(git.manifest(t, s.Name), "replace")
	if g := s.Gateway(edge); len(g.Spec.Listeners) != 1 || g.Annotations[plan.LedgerKey] != "" || g.Labels[plan.ManagedKey] != "" {
		t.Fatalf("kubectl replace left listeners %v, annotations %v and labels %v", g.Spec.Listeners, g.Annotations, g.Labels)
	}
	s.brought(git)
	s.writtenOnce(s.look)
	s.expectBeside(git, ours)
	s.expect(appListener)
}
