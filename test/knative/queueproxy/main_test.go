// Package queueproxy tests the handler behind Knative's own queue-proxy, both as
// processes, configured by the pod that Knative Serving's own code makes of the
// Service in the manifests.
//
// What stands in for a cluster: the kubelet is this package, which starts both
// containers, asks the readiness probe and, to end the pod, does what the pod says:
// the preStop of the handler, and SIGTERM. Ports are free ones instead of the
// pod's, where queue-proxy can be told so.
package queueproxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"gateway-cert-operator.io/gateway-cert-handler/test/knative"
	"gateway-cert-operator.io/gateway-cert-handler/test/recording"
	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

// system is what the tests share, unless they were not asked for.
var system struct {
	*stack.Stack
	programs knative.Programs
	template corev1.PodTemplateSpec
	log      recording.Log // the handlers' and queue-proxies'
	// absent says why there is no system though it was asked for.
	absent string
}

// fixedPorts are those that queue-proxy listens on whatever one tells it: for the
// preStop and for the autoscaler.
var fixedPorts = []string{"8022", "9090"}

func TestMain(m *testing.M) {
	if !knative.Asked() {
		os.Exit(m.Run())
	}
	for _, port := range fixedPorts {
		listener, err := net.Listen("tcp", ":"+port)
		if err != nil {
			system.absent = "queue-proxy can listen on no other port: " + err.Error()
			os.Exit(m.Run())
		}
		listener.Close()
	}
	stack.Exit(runAll(m))
}

func need(t *testing.T) {
	t.Helper()
	knative.Need(t)
	if system.absent != "" {
		t.Skip(system.absent)
	}
}

func runAll(m *testing.M) (code int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	if system.programs, err = knative.Build(ctx, os.Stderr); err != nil {
		return 1, err
	}
	var failed error
	code, err = stack.With(ctx, stack.Options{HandlerLog: &system.log}, func(s *stack.Stack) int {
		system.Stack = s
		if failed = errors.Join(s.StopAdapters(), readPod(ctx)); failed != nil {
			return 1
		}
		return m.Run()
	})
	return code, errors.Join(failed, err)
}

// readPod has Knative make the pod of the Service, as the API server has it.
func readPod(ctx context.Context) error {
	service, err := system.Kubectl(ctx, "", "-n", stack.Namespace, "get", "services.serving.knative.dev", "gateway-cert-handler", "-o", "json")
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, system.programs.RevisionPod)
	cmd.Stdin = strings.NewReader(service)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("have Knative make the pod: %w: %s", err, stderr.String())
	}
	if err := json.Unmarshal(text, &system.template); err != nil {
		return fmt.Errorf("read the pod that Knative made: %w", err)
	}
	if count := len(system.template.Spec.Containers); count != 2 {
		return fmt.Errorf("the pod that Knative made has %d containers, want the handler and queue-proxy", count)
	}
	return nil
}
