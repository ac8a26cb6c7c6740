package zero

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/test/node/machine"
)

// rounds is how often each of the variants is started.
const rounds = 5

// variants are ways to start a Service that does nothing, each with what it
// changes in bare.yaml. The first is as the handler is started.
var variants = []struct{ name, old, new string }{
	{name: "as the handler is"},
	{"without a token, so without a volume", "      enableServiceLinks: false", "      enableServiceLinks: false\n      automountServiceAccountToken: false"},
	{"without a limit of CPU", `          limits:
            cpu: "1"
            memory: 256Mi`, `          limits:
            memory: 256Mi`},
	{"queue-proxy with 200m of CPU, at most 1", "    metadata:\n      annotations:", "    metadata:\n      annotations:\n        queue.sidecar.serving.knative.dev/cpu-resource-request: 200m\n        queue.sidecar.serving.knative.dev/cpu-resource-limit: \"1\""},
	{"probed by TCP, as Knative does without a probe", "        readinessProbe:\n          httpGet:\n            path: /healthz\n", ""},
	{"without a seccomp profile", "          seccompProfile:\n            type: RuntimeDefault\n", ""},
}

func TestWhatAStartIsMadeOf(t *testing.T) {
	skipQuick(t)
	services := make([]*observer, len(variants))
	took := make([]durations, len(variants))
	for i, v := range variants {
		name := fmt.Sprintf("variant-%d", i)
		text := strings.NewReplacer("IMAGE", image(t, machine.Pause), "name: bare", "name: "+name).Replace(manifest(t, "bare.yaml"))
		if !strings.Contains(text, v.old) {
			t.Fatalf("bare.yaml has no %q", v.old)
		}
		run(t, strings.Replace(text, v.old, v.new, 1), "apply", "-f", "-")
		t.Cleanup(func() { run(t, "", "delete", "ksvc", name, "--wait=false") })
		serviceReady(t, "default", name)
		services[i] = observe(t, "default", name, "handler")
	}
	// One at a time: kubelet is slower with pods that end beside those that start.
	for range rounds {
		for i, o := range services {
			sleeping(t, services...)
			took[i] = append(took[i], start(t, o))
		}
	}
	var rows [][]string
	for i, v := range variants {
		rows = append(rows, append([]string{v.name}, took[i].cells()...))
	}
	node.report.table(fmt.Sprintf("Starts of a Service that does nothing, %d of each, ms", rounds), []string{"", "least", "median", "most"}, rows)
}

func TestWhatShortensTheWayToAHandlerThatRuns(t *testing.T) {
	skipQuick(t)
	o := handler(t)
	const capacity = "autoscaling.knative.dev/target-burst-capacity"
	annotate(t, map[string]string{capacity: "0"})
	t.Cleanup(func() { annotate(t, map[string]string{capacity: ""}) })
	pauseCertManager(t)
	node.report.table("A handler that runs, without the activator before it, ms", []string{"", "least", "median", "most"}, warm(t, o).rows())
}

func TestRetentionKeepsTheHandlerAwakeBetweenChanges(t *testing.T) {
	skipQuick(t)
	o := handler(t)
	const retention = "autoscaling.knative.dev/scale-to-zero-pod-retention-period"
	annotate(t, map[string]string{retention: "30s"})
	t.Cleanup(func() { annotate(t, map[string]string{retention: ""}) })
	s := newScene(t, "retained")
	sleeping(t, o)
	ping(t, o)
	time.Sleep(untouched) // without it no pod would be left
	if o.asleep() {
		t.Fatal("it sleeps")
	}
	created, patched := s.next().play(t)
	node.report.table("A pod that is retained for 30 s", []string{"", "ms"}, [][]string{
		{"a change 15 s after the last, Certificate created to Gateway patched", milliseconds(patched.Sub(created))},
	})
}
