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
	var out, errOut bytes.Buffer
	code = command(s.t.Context(), append(args, "--kubeconfig", s.kubeconfig),
		genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &errOut})
	return out.String(), errOut.String(), code
}

func TestWrongUsageIsAnErrorThatSaysWhatIsRight(t *testing.T) {
	s := newShell(t)
	for _, tc := range []struct{ args, says string }{
		{"migrate edge -A", "cannot be retrieved by name across all namespaces"},
		{"migrate -o wide", "table, json or yaml"},
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
	stdout, _, code := newShell(t).run("migrate", "--help")
	for _, part := range []string{"kubectl gateway-cert migrate [GATEWAY]", "--context", "-n, --namespace", "-A, --all-namespaces", "Exit codes"} {
		if code != 0 || !strings.Contains(stdout, part) {
			t.Errorf("exit code %d, and the help lacks %q", code, part)
		}
	}
}
