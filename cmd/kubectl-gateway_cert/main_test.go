package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

var plane *controlplane.ControlPlane

func TestMain(m *testing.M) {
	os.Exit(controlplane.WithControlPlane(func(p *controlplane.ControlPlane) int {
		plane = p
		return m.Run()
	}))
}

// shell runs the plugin as its user.
type shell struct {
	t          *testing.T
	kubeconfig string
}

func newShell(t *testing.T) shell {
	t.Helper()
	s := shell{t: t, kubeconfig: filepath.Join(t.TempDir(), "kubeconfig")}
	namespace.Must(t, plane.WriteKubeconfig(s.kubeconfig))
	return s
}

// run returns what the plugin prints and its exit code.
func (s shell) run(args ...string) (stdout, stderr string, code int) {
	s.t.Helper()
	return s.exec(append(args, "--kubeconfig", s.kubeconfig)...)
}

// exec is run with just these arguments.
func (s shell) exec(args ...string) (stdout, stderr string, code int) {
	s.t.Helper()
	var out, errOut bytes.Buffer
	code = command(s.t.Context(), args, genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &errOut})
	return out.String(), errOut.String(), code
}

func TestWrongUsageIsAnErrorThatSaysWhatIsRight(t *testing.T) {
	s := newShell(t)
	for _, tc := range []struct{ args, says string }{
		{"migrate edge -A", "cannot be retrieved by name across all namespaces"},
		{"migrate -o wide", "table, json or yaml"},
		{"plan edge -A", "cannot be retrieved by name across all namespaces"},
		{"plan -o name", "table, wide, json or yaml"},
		{"plan one two", "accepts at most 1 arg"},
		{"plan --config /nonexistent", "/nonexistent"},
		{"tree edge -A", "cannot be retrieved by name across all namespaces"},
		{"tree -o jsonpath", "table, wide, json or yaml"},
		{"explain", "accepts 1 arg"},
		{"explain certificate/a/b", "neither certificate/NAME nor a hostname"},
		{"explain gateway/edge", "neither certificate/NAME nor a hostname"},
		{"explain 10.0.0.1", "cannot be a listener's hostname"},
		{"explain certificate/x -o diff", "table, wide, json or yaml"},
		{"sweep --url nonsense", "no URL"},
		{"sweep --url http://localhost --timeout 0s", "--timeout"},
		{"sweep now", "unknown command"},
		{"replay", "accepts 1 arg"},
		{"replay - --url http://example.com --token x", "use https"},
		{"migrate --nonsense", "See 'kubectl gateway-cert migrate --help' for usage"},
		{"migrate one two", "accepts at most 1 arg"},
		{"nonsense", "unknown command"},
		{"migrate --config /nonexistent", "/nonexistent"},
		{"migrate --context nonsense", "nonsense"},
	} {
		stdout, stderr, code := s.run(strings.Fields(tc.args)...)
		if code != 1 || stdout != "" || !strings.HasPrefix(stderr, "error: ") || !strings.Contains(stderr, tc.says) {
			t.Errorf("%s: exit code %d, says %q, prints %q; want an error that says %q", tc.args, code, stderr, stdout, tc.says)
		}
	}
}

func TestHelpSpeaksAsKubectlDoes(t *testing.T) {
	s := newShell(t)
	for command, parts := range map[string][]string{
		"migrate": {"migrate [GATEWAY]", "-A, --all-namespaces"},
		"plan":    {"plan [GATEWAY]", "-A, --all-namespaces", "kubectl diff", "--config", "-o, --output"},
		"tree":    {"tree [GATEWAY]", "-A, --all-namespaces", "-o, --output"},
		"explain": {"explain (certificate/NAME", "--config", "-o, --output"},
		"sweep":   {"sweep --url URL", "--wait", "--token-file", "zero pods"},
		"replay":  {"replay (FILE | -)", "--token-file"},
	} {
		stdout, _, code := s.run(command, "--help")
		for _, part := range append(parts, "kubectl gateway-cert "+command, "--context", "-n, --namespace", "Exit codes", "Examples:") {
			if code != 0 || !strings.Contains(stdout, part) {
				t.Errorf("%s: exit code %d, and the help lacks %q", command, code, part)
			}
		}
		for line := range strings.SplitSeq(stdout[:strings.Index(stdout, "Usage:")], "\n") {
			if len(line) > 84 {
				t.Errorf("%s: a line of the help is %d characters wide: %s", command, len(line), line)
			}
		}
	}
}
