package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// completes asks as a shell does; the last word is the one to be completed.
func (s shell) completes(words ...string) []string {
	s.t.Helper()
	stdout, _, _ := s.exec(append([]string{"__complete", words[0], "--kubeconfig", s.kubeconfig}, words[1:]...)...)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	return lines[:len(lines)-1] // the last is the directive
}

func TestNamesAreCompleted(t *testing.T) {
	s := newTenants(t)
	s.CreateGateway("other", nil)
	s.CreateCertificate("blog", "edge", s.hostname("blog"))
	for _, tc := range []struct {
		words []string
		want  []string
	}{
		{[]string{"plan", "-n", s.Name, ""}, []string{"edge", "other"}},
		{[]string{"tree", "-n", s.Name, "o"}, []string{"other"}},
		{[]string{"migrate", "-n", s.Name, "e"}, []string{"edge"}},
		{[]string{"plan", "-n", s.Name, "edge", ""}, nil},
		{[]string{"plan", "-n", "nosuch", ""}, nil},
		{[]string{"explain", "-n", s.Name, ""}, []string{"certificate/"}},
		{[]string{"explain", "-n", s.Name, "cert"}, []string{"certificate/"}},
		{[]string{"explain", "-n", s.Name, "certificate/"}, []string{"certificate/blog", "certificate/shop"}},
		{[]string{"explain", "-n", s.Name, "cert/s"}, []string{"cert/shop"}},
		{[]string{"explain", "-n", s.Name, "secret/"}, nil},
		{[]string{"plan", "-n", s.Name}, []string{s.Name}},
		{[]string{"plan", "--context", ""}, []string{"control-plane"}},
		{[]string{"plan", "--cluster", ""}, []string{"control-plane"}},
		{[]string{"plan", "--user", ""}, []string{"control-plane"}},
		{[]string{"plan", "-o", ""}, []string{"table", "wide", "json", "yaml"}},
		{[]string{"migrate", "-o", ""}, []string{"table", "json", "yaml"}},
	} {
		if diff := cmp.Diff(tc.want, s.completes(tc.words...), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tc.words, diff)
		}
	}
}

func TestUnderTheNameOfTheCompleterThePluginCompletes(t *testing.T) {
	for _, tc := range []struct{ line, want []string }{
		{[]string{"/usr/bin/kubectl-gateway_cert", "plan", ""}, []string{"plan", ""}},
		{[]string{"/usr/bin/kubectl_complete-gateway_cert", "plan", ""}, []string{"__complete", "plan", ""}},
		{[]string{`kubectl_complete-gateway_cert.exe`, "p"}, []string{"__complete", "p"}},
	} {
		if diff := cmp.Diff(tc.want, arguments(tc.line)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tc.line, diff)
		}
	}
}

// A completion is no place for errors.
func TestWithoutAClusterNothingIsCompleted(t *testing.T) {
	s := shell{t: t, kubeconfig: filepath.Join(t.TempDir(), "nosuch")}
	namespace.Must(t, os.WriteFile(s.kubeconfig, []byte("apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: 'http://127.0.0.1:1'}}]\ncontexts: [{name: c, context: {cluster: c}}]\ncurrent-context: c\n"), 0o600))
	if got := s.completes("plan", ""); len(got) != 0 {
		t.Errorf("it completes %q", got)
	}
}
