package zero

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/test/node/machine"
)

const (
	productNamespace = "gateway-cert"
	handlerService   = "gateway-cert-handler"
)

// handler returns an observer of the handler, whose traces come here.
func handler(t *testing.T) *observer {
	t.Helper()
	traced(t)
	return observe(t, productNamespace, handlerService, "handler")
}

// traced has the handler send its traces, as an overlay would.
func traced(t *testing.T) {
	t.Helper()
	const variable = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	env := run(t, "", "-n", productNamespace, "get", "ksvc", handlerService, "-o", "jsonpath={.spec.template.spec.containers[0].env[*].name}")
	if strings.Contains(env, variable) {
		serviceReady(t, productNamespace, handlerService)
		return
	}
	patchService(t, "json", fmt.Sprintf(
		`[{"op":"add","path":"/spec/template/spec/containers/0/env/-","value":{"name":%q,"value":"http://%s:%s/v1/traces"}}]`,
		variable, machine.HostIP, otlpPort))
}

// bare makes the Service that does nothing and returns its observer.
func bare(t *testing.T) *observer {
	t.Helper()
	run(t, strings.ReplaceAll(manifest(t, "bare.yaml"), "IMAGE", image(t, machine.Pause)), "apply", "-f", "-")
	serviceReady(t, "default", "bare")
	return observe(t, "default", "bare", "handler")
}

// serviceReady waits for the newest Revision of a Service.
func serviceReady(t *testing.T, namespace, service string) {
	t.Helper()
	eventually(t, "Service "+service+" is Ready", func(context.Context) error {
		out := run(t, "", "-n", namespace, "get", "ksvc", service, "-o",
			`jsonpath={.metadata.generation} {.status.observedGeneration} {.status.conditions[?(@.type=="Ready")].status}`)
		var wanted, observed int
		var status string
		if _, err := fmt.Sscan(out, &wanted, &observed, &status); err != nil || wanted != observed || status != "True" {
			return fmt.Errorf("its generation, the observed one and Ready are %q", out)
		}
		return nil
	})
}

// image returns the reference of one of the node's images.
func image(t *testing.T, repository string) string {
	t.Helper()
	state, err := machine.StateDir()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(machine.ReferencesFile(state))
	if err != nil {
		t.Fatal(err)
	}
	var references map[string]string
	if err := json.Unmarshal(text, &references); err != nil {
		t.Fatal(err)
	}
	return references[repository]
}

// sleeping waits until Services have no pods, and a moment longer: requests then go
// to the activator. It waits until a sweep is over that would wake the handler soon.
func sleeping(t *testing.T, services ...*observer) {
	t.Helper()
	allAsleep(t, services)
	if next := untilSweep(); next < untouched {
		time.Sleep(next + 2*settling) // by then it has been woken
		allAsleep(t, services)
	}
	time.Sleep(settling)
}

func allAsleep(t *testing.T, services []*observer) {
	t.Helper()
	for _, o := range services {
		eventually(t, o.service+" is at zero", func(context.Context) error {
			if !o.asleep() {
				return errors.New("it has pods")
			}
			return nil
		})
	}
}

const (
	// sweepInterval is the PingSource's, which counts from the full hour.
	sweepInterval = 10 * time.Minute
	// untouched is how long the handler is to sleep and be measured undisturbed.
	untouched = 15 * time.Second
)

// untilSweep is how long the next sweep is away.
func untilSweep() time.Duration {
	now := time.Now()
	return now.Truncate(sweepInterval).Add(sweepInterval).Sub(now)
}

// pauseSweep has the PingSource send nothing until the test ends.
func pauseSweep(t *testing.T) {
	t.Helper()
	schedule := func(to string) string {
		is := run(t, "", "-n", productNamespace, "get", "pingsource", "sweep", "-o", "jsonpath={.spec.schedule}")
		run(t, "", "-n", productNamespace, "patch", "pingsource", "sweep", "--type=merge", "--patch", fmt.Sprintf(`{"spec":{"schedule":%q}}`, to))
		return is
	}
	const never = "0 0 31 2 *"
	if was := schedule(never); was != never {
		t.Cleanup(func() { schedule(was) })
	}
}

// settling is how long the way of requests may take to follow the pods.
const settling = time.Second

// client waits for a start from zero.
var client = &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}

// send sends a request to a Service by way of the networking layer.
func send(t *testing.T, o *observer, request *http.Request) {
	t.Helper()
	request.Host = o.service + "." + o.namespace + ".svc.cluster.local"
	response, err := client.Do(request.WithContext(t.Context()))
	if err != nil {
		t.Fatalf("ask %s: %v", request.Host, err)
	}
	response.Body.Close()
	if response.StatusCode/100 != 2 {
		t.Fatalf("%s answers %s", request.Host, response.Status)
	}
}

func newRequest(t *testing.T, method, body string) *http.Request {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, "http://"+machine.NodeIP+"/", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return request
}

// ping sends what the PingSource would send in its time.
func ping(t *testing.T, o *observer) {
	t.Helper()
	request := newRequest(t, http.MethodPost, "")
	for name, value := range map[string]string{
		"Ce-Specversion": "1.0", "Ce-Id": fmt.Sprint(time.Now().UnixNano()), "Ce-Type": "dev.knative.sources.ping",
		"Ce-Source": "/apis/v1/namespaces/" + productNamespace + "/pingsources/sweep",
	} {
		request.Header.Set(name, value)
	}
	send(t, o, request)
}
