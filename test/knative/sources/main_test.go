// Package sources tests what Knative's own controllers make of the sources in the
// manifests: the base as it is shipped, the controllers of ApiServerSource,
// ContainerSource, PingSource and SinkBinding as a process, and the adapters, each
// started with what stands in the Deployment that a controller has made for it.
//
// What stands in for a cluster: the Deployment controller and the kubelet are this
// package, which starts the program of a Deployment's container with the
// container's environment, as the pod's ServiceAccount, and then says in the
// Deployment's status that it is available. So a source is Ready only when its
// adapter runs. Knative Serving is a status: the address of the Service is where
// this package listens, which passes on to the handler what it is sent. Knative's
// webhooks do not run: the defaults that they fill in are filled in by their own
// code, and a SinkBinding is carried out by its controller alone. The controllers
// run as the admin, for their ClusterRoles are put together by a controller that
// does not run here; the adapters have the rights of their accounts.
package sources

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/test/knative"
	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

// system is nil unless the tests were asked for. The tests share it and run one
// after the other.
var system *cluster

func TestMain(m *testing.M) {
	if !knative.Asked() {
		os.Exit(m.Run())
	}
	stack.Exit(runAll(m))
}

func runAll(m *testing.M) (code int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	system, err = startCluster(ctx)
	if err != nil {
		return 1, err
	}
	defer func() {
		if stopErr := system.stop(); stopErr != nil {
			code, err = 1, stopErr
		}
	}()
	if code = m.Run(); code != 0 {
		fmt.Fprintf(os.Stderr, "the processes' logs:\n%s", system.log.String())
	}
	return code, nil
}
