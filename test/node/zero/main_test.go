// Package zero tests on a real node that the handler sleeps at zero pods, wakes
// when a Certificate changes, and loses nothing, and measures what that takes.
// make e2e-zero runs it; without a node its tests are skipped.
package zero

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
	"gateway-cert-operator.io/gateway-cert-handler/test/node/kubectl"
	"gateway-cert-operator.io/gateway-cert-handler/test/node/machine"
)

// nodeVariable is set where make cluster has started a node.
const nodeVariable = "NODE"

// quickVariable is set where only steps 1 to 3 are wanted, and less often.
const quickVariable = "QUICK"

func quick() bool {
	value := os.Getenv(quickVariable)
	return value != "" && value != "0"
}

func skipQuick(t *testing.T) {
	t.Helper()
	if quick() {
		t.Skip("it is left out with " + quickVariable + "=1")
	}
}

// node is what all tests share.
var node struct {
	config  *rest.Config
	core    *kubernetes.Clientset
	kubectl kubectl.Kubectl
	traces  *collector.Collector
	report  report
}

func TestMain(m *testing.M) {
	if os.Getenv(nodeVariable) == "" {
		fmt.Println("no node: run make e2e-zero")
		return
	}
	if err := open(); err != nil {
		fmt.Fprintln(os.Stderr, "look for the node:", err)
		os.Exit(1)
	}
	code := m.Run()
	fmt.Println(node.report.String())
	_ = node.traces.Close()
	os.Exit(code)
}

// otlpPort is where the handler is told to send its traces, on the host.
const otlpPort = "4318"

func open() error {
	state, err := machine.StateDir()
	if err != nil {
		return err
	}
	assets, err := controlplane.Locate()
	if err != nil {
		return err
	}
	node.kubectl = kubectl.Kubectl{Path: assets.Kubectl(), Kubeconfig: machine.Kubeconfig(state)}
	if node.config, err = clientcmd.BuildConfigFromFlags("", node.kubectl.Kubeconfig); err != nil {
		return fmt.Errorf("read the kubeconfig (make cluster starts a node): %w", err)
	}
	node.config.QPS = -1 // bursts are what is tested
	if node.core, err = kubernetes.NewForConfig(node.config); err != nil {
		return err
	}
	node.traces, err = collector.StartWith(collector.Options{Address: machine.HostIP + ":" + otlpPort})
	return err
}

// patience is how long anything may take that ends by itself.
const patience = 90 * time.Second

// eventually asks until the answer is nil, or fails the test with the last one.
func eventually(t *testing.T, what string, ask func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience) // it is for cleaning up too
	defer cancel()
	for {
		err := ask(ctx)
		if err == nil {
			return
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			t.Fatalf("wait until %s: %v", what, err)
		}
	}
}

func run(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	out, err := node.kubectl.Run(context.WithoutCancel(t.Context()), []byte(stdin), args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// manifest reads one of this directory's.
func manifest(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// newNamespace makes a namespace that is gone when the test ends: the handler looks
// at all that there is each time it starts.
func newNamespace(t *testing.T) *namespace.Namespace {
	t.Helper()
	n := namespace.New(t, node.config)
	t.Cleanup(func() { removeNamespace(t, n.Name) })
	adapterKnows(t, n.Name)
	return n
}

// removeNamespace deletes a namespace, if it is there, and waits until it is gone.
func removeNamespace(t *testing.T, name string) {
	t.Helper()
	run(t, "", "delete", "namespace", name, "--ignore-not-found", "--timeout=120s")
}
