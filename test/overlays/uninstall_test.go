package overlays

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/wait"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// commands are those of docs/uninstall.md, one for each block.
func commands(t *testing.T) (unlabel, left, remove, forget, takeOff string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/uninstall.md")
	namespace.Must(t, err)
	var blocks []string
	for _, part := range strings.Split(string(text), "```sh\n")[1:] {
		block, _, _ := strings.Cut(part, "```")
		blocks = append(blocks, block)
	}
	if len(blocks) != 5 {
		t.Fatalf("the page has %d blocks of commands, want 5", len(blocks))
	}
	return blocks[0], blocks[1], blocks[2], blocks[3], blocks[4]
}

// shell runs a page's commands as a reader would.
func shell(t *testing.T, script string) string {
	t.Helper()
	dir := t.TempDir()
	kubectl := system.KubectlPath()
	if filepath.IsAbs(kubectl) {
		namespace.Must(t, os.Symlink(kubectl, filepath.Join(dir, "kubectl")))
	}
	cmd := exec.CommandContext(t.Context(), "sh", "-ec", script)
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "KUBECONFIG="+system.Kubeconfig(), "PATH="+dir+":"+os.Getenv("PATH"))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", script, err, stderr.String())
	}
	return string(out)
}

// expectUntouched wants a Gateway as its owner has made it.
func expectUntouched(t *testing.T, in *namespace.Namespace, name string) {
	t.Helper()
	gateway := in.Gateway(name)
	_, ledger := gateway.Annotations[plan.LedgerKey]
	_, label := gateway.Labels[plan.ManagedKey]
	if ledger || label || len(gateway.Spec.Listeners) != 1 || gateway.Spec.Listeners[0].Name != namespace.UserOwned {
		t.Errorf("left are annotations %v, labels %v and listeners %v", gateway.Annotations, gateway.Labels, gateway.Spec.Listeners)
	}
}

func TestThePagesCommandsTakeAllListenersOff(t *testing.T) {
	unlabel, left, _, _, _ := commands(t)
	in := namespace.New(t, system.Config())
	served(t, in, "edge", nil)
	if shell(t, left) == "" {
		t.Fatal("no Gateway is named that has listeners of ours")
	}
	shell(t, unlabel)
	err := wait.PollUntilContextTimeout(t.Context(), pollEach, patience, true, func(context.Context) (bool, error) {
		return shell(t, left) == "", nil
	})
	if err != nil {
		t.Fatalf("after %s there are still %s", patience, shell(t, left))
	}
	expectUntouched(t, in, "edge")
}

// Nothing is deleted: the other tests go on.
func TestThePagesCommandRemovesTheRest(t *testing.T) {
	_, _, remove, _, _ := commands(t)
	command := strings.TrimSpace(remove)
	if out := shell(t, command+" --dry-run=server --ignore-not-found"); !strings.Contains(out, "gateway-cert-handler") {
		t.Errorf("it removes\n%s", out)
	}
}

func TestThePagesCommandsLeaveTheListenersToTheirOwner(t *testing.T) {
	_, left, _, forget, _ := commands(t)
	in := namespace.New(t, system.Config())
	served(t, in, "edge", nil)
	namespace.Must(t, system.StopAdapters()) // nobody tells the handler
	t.Cleanup(func() { namespace.Must(t, system.StartAdapters(system.ctx)) })
	before := in.RawListeners("edge")
	shell(t, forget)
	if out := shell(t, left); out != "" {
		t.Errorf("the label is still on %s", out)
	}
	gateway := in.Gateway("edge")
	if ledger, ok := gateway.Annotations[plan.LedgerKey]; ok || len(before) != 2 || len(in.RawListeners("edge")) != 2 {
		t.Errorf("the ledger is %q, the listeners are %v", ledger, gateway.Spec.Listeners)
	}
}

func TestThePagesCommandTakesListenersOffWithoutTheHandler(t *testing.T) {
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("jq is not on PATH, which the command is for")
	}
	_, _, _, _, takeOff := commands(t)
	in := namespace.New(t, system.Config())
	served(t, in, "edge", nil)
	namespace.Must(t, system.StopAdapters())
	t.Cleanup(func() { namespace.Must(t, system.StartAdapters(system.ctx)) })
	shell(t, strings.ReplaceAll(takeOff, "-n infra", "-n "+in.Name))
	expectUntouched(t, in, "edge")
}
