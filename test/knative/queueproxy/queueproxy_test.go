package queueproxy

import (
	"context"
	"fmt"
	"net/http"
	"syscall"
	"testing"

	servingv1 "knative.dev/serving/pkg/apis/serving/v1"
	"sigs.k8s.io/yaml"

	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

// A start from zero waits for this answer: queue-proxy asks the handler again and
// again until the first yes, within one probe.
func TestOneProbeLastsUntilTheHandlerListens(t *testing.T) {
	p := startPod(t)
	p.startHandler()
	p.awaitListening()
	answered := make(chan answer, 1)
	go func() {
		status, err := p.probe(t.Context())
		answered <- answer{status, err}
	}()
	select {
	case <-p.gate.tried:
	case got := <-answered:
		t.Fatalf("the probe was answered %d, %v before it came to the handler", got.status, got.err)
	}
	p.gate.lead(p.handler.URL)
	if got := <-answered; got.err != nil || got.status != http.StatusOK {
		t.Errorf("the probe was answered %d, %v, want 200", got.status, got.err)
	}
	expectDone(t, p.send())
}

func TestNoMoreEventsThanTheServiceAllowsAreWithTheHandlerAtOnce(t *testing.T) {
	p := startReadyPod(t)
	allowed := containerConcurrency(t)
	p.gate.shut()
	var answers []<-chan answer
	for range allowed + 5 {
		answers = append(answers, p.send())
	}
	p.awaitInside(allowed)
	// By now an event too many would have come as far as the others: the probe
	// goes the same way.
	p.awaitProbe(http.StatusOK)
	p.gate.release()
	for _, answered := range answers {
		expectDone(t, answered)
	}
	if _, most := p.gate.counts(); most != allowed {
		t.Errorf("%d events were with the handler at once, want %d", most, allowed)
	}
}

func containerConcurrency(t *testing.T) int {
	t.Helper()
	text, err := system.Kubectl(t.Context(), "", "-n", stack.Namespace, "get", "services.serving.knative.dev", "gateway-cert-handler", "-o", "json")
	namespace.Must(t, err)
	var service servingv1.Service
	namespace.Must(t, yaml.Unmarshal([]byte(text), &service))
	return int(*service.Spec.Template.Spec.ContainerConcurrency)
}

// A pod is deleted: at once it is no longer ready, what is under way is finished,
// what still comes before everybody knows is served, and then nobody listens.
func TestAPodThatIsDeletedFinishesWhatItHas(t *testing.T) {
	p := startReadyPod(t)
	p.gate.shut()
	early := p.send()
	p.awaitInside(1)

	namespace.Must(t, p.queue.Signal(syscall.SIGTERM))
	drained := p.preStop()
	p.awaitProbe(http.StatusServiceUnavailable)
	late := p.send()
	p.gate.release()
	expectDone(t, early)
	expectDone(t, late)

	if got := <-drained; got.err != nil || got.status != http.StatusOK {
		t.Errorf("the handler's preStop was answered %d, %v, want 200", got.status, got.err)
	}
	namespace.Must(t, p.handler.Signal(syscall.SIGTERM))
	for name, process := range map[string]interface {
		Wait(context.Context) (int, error)
	}{"the handler": p.handler, "queue-proxy": p.queue} {
		if code, err := process.Wait(t.Context()); err != nil || code != 0 {
			t.Errorf("%s left with %d, %v, want 0", name, code, err)
		}
	}
	if p.listens() {
		t.Error("somebody still listens where the pod was")
	}
}

// preStop asks what the kubelet does before it ends the handler.
func (p *pod) preStop() <-chan answer {
	action := system.template.Spec.Containers[0].Lifecycle.PreStop.HTTPGet
	answered := make(chan answer, 1)
	go func() {
		response, err := client.Get(fmt.Sprintf("http://127.0.0.1:%s%s", action.Port.String(), action.Path))
		if err != nil {
			answered <- answer{err: err}
			return
		}
		answered <- answer{response.StatusCode, response.Body.Close()}
	}()
	return answered
}
