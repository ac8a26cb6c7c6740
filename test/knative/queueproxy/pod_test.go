package queueproxy

import (
	"errors"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

const (
	patience = 60 * time.Second
	pollEach = 20 * time.Millisecond
)

// pod is the handler with queue-proxy before it, and between them what counts and
// holds.
type pod struct {
	t       *testing.T
	url     string // where Knative sends events
	gate    *gate
	queue   *controlplane.Process
	handler *stack.Handler
}

// startPod starts queue-proxy, and the handler only when startHandler is called. It
// is killed at the end of the test, if the test has not stopped it.
func startPod(t *testing.T) *pod {
	t.Helper()
	need(t)
	p := &pod{t: t, gate: newGate(t)}
	container := system.template.Spec.Containers[1]
	env, err := controlplane.ResolveEnv(container.Env, map[string]string{
		"metadata.name": "pod-1", "status.podIP": "127.0.0.1", "status.hostIP": "127.0.0.1",
	})
	namespace.Must(t, err)
	userPort, port, tlsPort := portOf(p.gate.URL), freePort(t), freePort(t)
	env["SERVING_READINESS_PROBE"] = strings.Replace(env["SERVING_READINESS_PROBE"], `"port":`+env["USER_PORT"], `"port":`+userPort, 1)
	env["USER_PORT"], env["QUEUE_SERVING_PORT"], env["QUEUE_SERVING_TLS_PORT"] = userPort, port, tlsPort
	p.url = "http://127.0.0.1:" + port
	p.queue, err = controlplane.StartProcess(controlplane.ProcessOptions{
		Name: "queue-proxy", Path: system.programs.QueueProxy, Env: env.List(), Output: &system.log,
	})
	namespace.Must(t, err)
	t.Cleanup(func() { kill(t, p.queue) })
	return p
}

// startReadyPod starts both and waits until the pod is ready.
func startReadyPod(t *testing.T) *pod {
	t.Helper()
	p := startPod(t)
	p.startHandler()
	p.gate.lead(p.handler.URL)
	p.awaitProbe(http.StatusOK)
	return p
}

// startHandler starts the handler as its container says. The gate is to lead to it.
func (p *pod) startHandler() {
	p.t.Helper()
	env, err := controlplane.ResolveEnv(system.template.Spec.Containers[0].Env, nil)
	namespace.Must(p.t, err)
	env["PORT"] = "127.0.0.1:0"
	p.handler, err = system.StartReplica(p.t.Context(), stack.HandlerOptions{Env: env.List()})
	namespace.Must(p.t, err)
	p.t.Cleanup(func() { kill(p.t, p.handler.Process) })
}

func kill(t *testing.T, process *controlplane.Process) {
	if err := process.Signal(os.Kill); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Error(err)
	}
	<-process.Done()
}

func portOf(url string) string { return url[strings.LastIndex(url, ":")+1:] }

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	namespace.Must(t, err)
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	namespace.Must(t, err)
	return port
}
