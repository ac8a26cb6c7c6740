// Command controlplane builds the programs of the test control plane that are
// missing. Progress goes to standard error; the last line on standard output
// is the directory with etcd, kube-apiserver and kubectl, as KUBEBUILDER_ASSETS
// wants it. With -kubernetes these three are of another minor version, and they
// alone are built.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	minor := flag.String("kubernetes", "", "minor `VERSION` of Kubernetes, such as 1.34 (default: the one that the tests run on)")
	flag.Parse()
	dir, err := build(ctx, *minor)
	if err != nil {
		fmt.Fprintln(os.Stderr, "control plane:", err)
		os.Exit(1)
	}
	fmt.Println(dir)
}

func build(ctx context.Context, minor string) (string, error) {
	if minor != "" {
		return controlplane.BuildKubernetes(ctx, minor, os.Stderr)
	}
	assets, err := controlplane.Build(ctx, os.Stderr)
	if assets.KubernetesDir == "" {
		return assets.Dir, err
	}
	return assets.KubernetesDir, err
}
