// Command controlplane builds the programs of the test control plane that are
// missing. Progress goes to standard error; the last line on standard output
// is the directory with etcd, kube-apiserver and kubectl, as KUBEBUILDER_ASSETS
// wants it.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	assets, err := controlplane.Build(ctx, os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "control plane:", err)
		os.Exit(1)
	}
	if assets.KubernetesDir == "" {
		fmt.Println(assets.Dir)
		return
	}
	fmt.Println(assets.KubernetesDir)
}
