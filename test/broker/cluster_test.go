package broker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventingconfig "knative.dev/eventing/pkg/apis/config"
	eventingv1 "knative.dev/eventing/pkg/apis/eventing/v1"
	"knative.dev/pkg/apis"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

const (
	grace   = 90 * time.Second
	overlay = "../../knative/examples/broker"
)

// cluster is what the tests share.
type cluster struct {
	*controlplane.ControlPlane
	assets controlplane.Assets
	dir    string
	log    io.Writer
	names  *names
	shelf  *shelf

	knative  []*controlplane.Process
	adapters []*controlplane.Adapter
	program  string
	handler  *controlplane.Process
	address  string // of the handler
}

func startCluster(ctx context.Context, log io.Writer) (c *cluster, err error) {
	c = &cluster{log: log}
	for _, step := range []func(context.Context) error{
		c.startControlPlane, c.prepareKnative, c.startBroker, c.applyOverlay, c.waitUntilReady, c.buildHandler, c.startHandler, c.startAdapters,
	} {
		if err := step(ctx); err != nil {
			return nil, errors.Join(err, c.stop())
		}
	}
	return c, nil
}

func (c *cluster) stop() error {
	var errs []error
	for _, adapter := range c.adapters {
		errs = append(errs, adapter.Stop(grace))
	}
	if c.handler != nil {
		errs = append(errs, c.handler.Stop(grace))
	}
	// Knative's servers drain for most of a minute before they end. Nothing is
	// under way any more, and nobody asks for their exit code.
	for _, process := range c.knative {
		if err := process.Signal(os.Kill); err != nil && !errors.Is(err, os.ErrProcessDone) {
			errs = append(errs, err)
		}
		<-process.Done()
	}
	if c.names != nil {
		c.names.Close()
		c.shelf.Close()
	}
	if c.ControlPlane != nil {
		errs = append(errs, c.Stop())
	}
	return errors.Join(append(errs, os.RemoveAll(c.dir))...)
}

func (c *cluster) kubeconfig() string { return filepath.Join(c.dir, "admin.kubeconfig") }

func (c *cluster) kubectl(ctx context.Context, stdin string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, c.assets.Kubectl(), args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+c.kubeconfig())
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), nil
}

func (c *cluster) startControlPlane(ctx context.Context) (err error) {
	if c.assets, err = controlplane.Locate(); err != nil {
		return err
	}
	if c.dir, err = os.MkdirTemp("", "broker-"); err != nil {
		return err
	}
	if c.ControlPlane, err = controlplane.Start(ctx, controlplane.Options{Assets: c.assets}); err != nil {
		return err
	}
	return c.WriteKubeconfig(c.kubeconfig())
}

// standIns are what Knative's controllers look for before they call a Broker
// ready. The addresses are of a range that leads nowhere.
const standIns = `
apiVersion: v1
kind: Service
metadata: {name: NAME, namespace: knative-eventing}
spec: {ports: [{name: PORT, port: 80, targetPort: 8080}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: NAME-1, namespace: knative-eventing, labels: {kubernetes.io/service-name: NAME}}
addressType: IPv4
ports: [{name: PORT, port: 8080}]
endpoints: [{addresses: ["198.51.100.1"], conditions: {ready: true}}]
---
`

const dispatcherDeployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: imc-dispatcher, namespace: knative-eventing}
spec:
  selector: {matchLabels: {a: b}}
  template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: none.invalid/none}]}}
`

// prepareKnative makes the namespace of Knative Eventing with its ConfigMaps.
func (c *cluster) prepareKnative(ctx context.Context) error {
	eventing, err := eventingDir(ctx)
	if err != nil {
		return err
	}
	if _, err := c.kubectl(ctx, "", "create", "namespace", "knative-eventing"); err != nil {
		return err
	}
	var objects strings.Builder
	for name, port := range map[string]string{"broker-ingress": "http", "broker-filter": "http", "imc-dispatcher": "http-dispatcher"} {
		objects.WriteString(strings.NewReplacer("NAME", name, "PORT", port).Replace(standIns))
	}
	objects.WriteString(dispatcherDeployment)
	if _, err := c.kubectl(ctx, objects.String(), "apply", "-f", "-"); err != nil {
		return err
	}
	_, err = c.kubectl(ctx, "", "apply",
		"-f", filepath.Join(eventing, "config", "core", "configmaps"),
		"-f", filepath.Join(eventing, "config", "channels", "in-memory-channel", "configmaps"))
	return err
}

func eventingDir(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "knative.dev/eventing").Output()
	if err != nil {
		return "", fmt.Errorf("find the files of Knative Eventing: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

func (c *cluster) startBroker(context.Context) error {
	ports, err := freePorts(5)
	if err != nil {
		return err
	}
	ingress, filter := ports[0], ports[1]
	c.address = "127.0.0.1:" + ports[4]
	c.shelf = serveShelf()
	c.names = serveNames(map[string]string{
		"broker-ingress.knative-eventing.svc.cluster.local": "127.0.0.1:" + ingress,
		"broker-filter.knative-eventing.svc.cluster.local":  "127.0.0.1:" + filter,
		"-kn-channel.gateway-cert.svc.cluster.local":        "127.0.0.1:" + dispatcherPort,
		"job-sink.knative-eventing.svc.cluster.local":       c.shelf.Listener.Addr().String(),
		handlerHost: c.address,
	})
	for _, p := range []struct {
		name, path string
		env        []string
	}{
		{"broker-controllers", c.assets.BrokerControllers, []string{"DISPATCHER_IMAGE=none.invalid/none"}},
		{"imc-dispatcher", c.assets.ChannelDispatcher, []string{"CONTAINER_NAME=dispatcher", "MAX_IDLE_CONNS=1000", "MAX_IDLE_CONNS_PER_HOST=100"}},
		{"broker-ingress", c.assets.BrokerIngress, []string{"NAMESPACE=knative-eventing", "CONTAINER_NAME=ingress",
			"INGRESS_PORT=" + ingress, "INGRESS_PORT_HTTPS=" + ports[2]}},
		{"broker-filter", c.assets.BrokerFilter, []string{"NAMESPACE=knative-eventing", "CONTAINER_NAME=filter",
			"FILTER_PORT=" + filter, "FILTER_PORT_HTTPS=" + ports[3]}},
	} {
		process, err := controlplane.StartProcess(controlplane.ProcessOptions{
			Name: p.name, Path: p.path, Output: c.log,
			Env: append([]string{
				"KUBECONFIG=" + c.kubeconfig(), "HTTP_PROXY=" + c.names.URL, "POD_NAME=" + p.name, "PROFILING_PORT=0",
				"SYSTEM_NAMESPACE=knative-eventing", "METRICS_DOMAIN=knative.dev/eventing",
				"CONFIG_LOGGING_NAME=config-logging", "CONFIG_OBSERVABILITY_NAME=config-observability",
			}, p.env...),
		})
		if err != nil {
			return err
		}
		c.knative = append(c.knative, process)
	}
	return nil
}

func freePorts(n int) ([]string, error) {
	var ports []string
	for range n {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer listener.Close()
		_, port, err := net.SplitHostPort(listener.Addr().String())
		if err != nil {
			return nil, err
		}
		ports = append(ports, port)
	}
	return ports, nil
}

// applyOverlay applies the example as it is shipped, and says the addresses that
// Knative Serving and the JobSink's controller would.
func (c *cluster) applyOverlay(ctx context.Context) error {
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), overlay)
	if err != nil {
		return err
	}
	asWebhook, err := webhookContext(ctx)
	if err != nil {
		return err
	}
	var list bytes.Buffer
	for _, resource := range resources.Resources() {
		data, err := resource.MarshalJSON()
		if err != nil {
			return err
		}
		if data, err = withDefaults(asWebhook, resource.GetKind(), data); err != nil {
			return err
		}
		fmt.Fprintf(&list, "%s\n---\n", data)
	}
	if _, err := c.kubectl(ctx, list.String(), "apply", "-f", "-"); err != nil {
		return err
	}
	for of, url := range map[string]string{
		"services.serving.knative.dev/gateway-cert-handler": "http://" + handlerHost,
		"jobsinks.sinks.knative.dev/undelivered":            "http://job-sink.knative-eventing.svc.cluster.local/gateway-cert/undelivered",
	} {
		patch := fmt.Sprintf(`{"status":{"address":{"url":%q},"conditions":[{"type":"Ready","status":"True"}]}}`, url)
		if _, err := c.kubectl(ctx, "", "-n", stack.Namespace, "patch", of, "--subresource=status", "--type=merge", "-p", patch); err != nil {
			return err
		}
	}
	return nil
}

// webhookContext has Knative's defaults as it ships them.
func webhookContext(ctx context.Context) (context.Context, error) {
	eventing, err := eventingDir(ctx)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(eventing, "config", "core", "configmaps", "default-broker.yaml"))
	if err != nil {
		return nil, err
	}
	config := &corev1.ConfigMap{}
	if err := yaml.Unmarshal(data, config); err != nil {
		return nil, err
	}
	defaults, err := eventingconfig.NewDefaultsConfigFromConfigMap(config)
	if err != nil {
		return nil, err
	}
	return eventingconfig.ToContext(ctx, &eventingconfig.Config{Defaults: defaults}), nil
}

// withDefaults does what Knative's webhook does with a Broker or a Trigger.
func withDefaults(ctx context.Context, kind string, data []byte) ([]byte, error) {
	var object apis.Defaultable
	switch kind {
	case "Broker":
		object = &eventingv1.Broker{}
	case "Trigger":
		object = &eventingv1.Trigger{}
	default:
		return data, nil
	}
	if err := json.Unmarshal(data, object); err != nil {
		return nil, err
	}
	object.SetDefaults(ctx)
	return json.Marshal(object)
}

func (c *cluster) waitUntilReady(ctx context.Context) error {
	_, err := c.kubectl(ctx, "", "-n", stack.Namespace, "wait", "--for=condition=Ready", "--timeout=90s",
		"broker/gateway-cert", "trigger/certificates", "trigger/gateways", "trigger/sweep")
	if err == nil {
		return nil
	}
	status, _ := c.kubectl(ctx, "", "-n", stack.Namespace, "get", "broker,trigger", "-o", "yaml")
	return fmt.Errorf("%w\n%s", err, status)
}

// settings have no sweep at the start: it would put right what an event that was
// lost would have told.
const settings = `apiVersion: gateway-cert-operator.io/v1alpha1
kind: HandlerConfig
delivery:
  sweepOnStart: false
`

func (c *cluster) buildHandler(ctx context.Context) (err error) {
	if err := os.WriteFile(filepath.Join(c.dir, "config.yaml"), []byte(settings), 0o600); err != nil {
		return err
	}
	if c.program, err = stack.BuildHandler(ctx, c.dir, "-race"); err != nil {
		return err
	}
	return c.ServiceAccountKubeconfig(ctx, stack.Namespace, "gateway-cert-handler", filepath.Join(c.dir, "handler.kubeconfig"))
}

// startHandler starts the handler at the address that its name leads to.
func (c *cluster) startHandler(ctx context.Context) (err error) {
	c.handler, err = controlplane.StartProcess(controlplane.ProcessOptions{
		Name: "handler", Path: c.program, Args: []string{"-config=" + filepath.Join(c.dir, "config.yaml")},
		Env:    []string{"KUBECONFIG=" + filepath.Join(c.dir, "handler.kubeconfig"), "PORT=" + c.address},
		Output: c.log,
	})
	if err != nil {
		return err
	}
	for {
		if response, err := http.Get("http://" + c.address + "/healthz"); err == nil {
			return response.Body.Close()
		}
		if err := pause(ctx); err != nil {
			return fmt.Errorf("wait for the handler to listen: %w", err)
		}
	}
}

// startAdapters starts the adapters of both sources with the Broker's address,
// as its status has it.
func (c *cluster) startAdapters(ctx context.Context) error {
	sink, err := c.kubectl(ctx, "", "-n", stack.Namespace, "get", "broker", "gateway-cert", "-o", "jsonpath={.status.address.url}")
	if err != nil {
		return err
	}
	source, err := c.kubectl(ctx, "", "-n", stack.Namespace, "get", "apiserversource", "certificates", "-o", "json")
	if err != nil {
		return err
	}
	certificates, err := controlplane.AdapterEnv(ctx, controlplane.AdapterEnvOptions{Assets: c.assets, Source: []byte(source), Sink: sink})
	if err != nil {
		return err
	}
	text, err := c.kubectl(ctx, "", "-n", stack.Namespace, "get", "containersource", "gateways", "-o", "jsonpath={.spec.template.spec.containers[0].env}")
	if err != nil {
		return err
	}
	var gateways []corev1.EnvVar
	if err := json.Unmarshal([]byte(text), &gateways); err != nil {
		return fmt.Errorf("read the environment of ContainerSource gateways: %w", err)
	}
	gateways = append(gateways, corev1.EnvVar{Name: "K_SINK", Value: sink})
	kubeconfig := filepath.Join(c.dir, "source.kubeconfig")
	if err := c.ServiceAccountKubeconfig(ctx, stack.Namespace, "gateway-cert-source", kubeconfig); err != nil {
		return err
	}
	for _, env := range [][]corev1.EnvVar{certificates, gateways} {
		// Not ctx, which ends with the start.
		adapter, err := controlplane.StartAdapter(context.Background(), controlplane.AdapterOptions{
			Assets: c.assets, Kubeconfig: kubeconfig, Namespace: stack.Namespace, Output: c.log,
			Env: append(env, corev1.EnvVar{Name: "HTTP_PROXY", Value: c.names.URL}),
		})
		if err != nil {
			return err
		}
		c.adapters = append(c.adapters, adapter)
		if err := adapter.WaitUntilWatching(ctx); err != nil {
			return err
		}
	}
	return nil
}

// pause waits between two looks at something.
func pause(ctx context.Context) error {
	select {
	case <-time.After(50 * time.Millisecond):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
