package sources

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"k8s.io/client-go/kubernetes"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
	"gateway-cert-operator.io/gateway-cert-handler/test/knative"
	"gateway-cert-operator.io/gateway-cert-handler/test/recording"
	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

// knativeNamespace is where Knative Eventing is installed.
const knativeNamespace = "knative-eventing"

// adapterImage is what the controllers are told to run for an ApiServerSource. The
// manifests have a ContainerSource run the same, by this name until an overlay
// gives another.
const adapterImage = "apiserver-receive-adapter"

// cluster is what the tests share.
type cluster struct {
	*stack.Stack
	ctx      context.Context // of the whole run
	assets   controlplane.Assets
	programs knative.Programs
	client   kubernetes.Interface
	log      recording.Log

	sink        *sink
	controllers *controlplane.Process
	pods        []*controlplane.Process
}

func startCluster(ctx context.Context) (*cluster, error) {
	c := &cluster{ctx: ctx}
	for _, step := range []func(context.Context) error{
		c.startStack, c.installEventing, c.setDefaults, c.serve, c.startControllers, c.bind, c.startSources,
	} {
		if err := step(ctx); err != nil {
			return nil, errors.Join(fmt.Errorf("%w\nthe processes' logs:\n%s", err, c.log.String()), c.stop())
		}
	}
	return c, nil
}

func (c *cluster) stop() error {
	var errs []error
	// The adapter of PingSources waits for the minute to end before it does, and
	// nobody asks for an exit code of these.
	for _, process := range append(c.pods, c.controllers) {
		if process == nil {
			continue
		}
		if err := process.Signal(os.Kill); err != nil && !errors.Is(err, os.ErrProcessDone) {
			errs = append(errs, err)
		}
		<-process.Done()
	}
	if c.sink != nil {
		c.sink.Close()
	}
	if c.Stack != nil {
		errs = append(errs, c.Stack.Stop())
	}
	return errors.Join(errs...)
}

// startStack starts the API server, with the base applied, and the handler. The
// stack's own adapters end at once: here it is Knative that configures them.
func (c *cluster) startStack(ctx context.Context) (err error) {
	if c.programs, err = knative.Build(ctx, os.Stderr); err != nil {
		return err
	}
	if c.assets, err = controlplane.Locate(); err != nil {
		return err
	}
	if c.Stack, err = stack.Start(ctx, stack.Options{Assets: c.assets, HandlerLog: &c.log}); err != nil {
		return err
	}
	if c.client, err = kubernetes.NewForConfig(c.Config()); err != nil {
		return err
	}
	return c.StopAdapters()
}

// installEventing applies of Knative Eventing what is needed here: its ConfigMaps
// and, for PingSources, its Deployment with the rights of it.
func (c *cluster) installEventing(ctx context.Context) error {
	dir, err := eventingDir(ctx)
	if err != nil {
		return err
	}
	args := []string{"apply"}
	for _, file := range []string{
		"100-namespace.yaml",
		"configmaps",
		"200-pingsource-mt-adapter-serviceaccount.yaml",
		"roles/pingsource-mt-adapter-clusterrole.yaml",
		"deployments/pingsource-mt-adapter.yaml",
	} {
		args = append(args, "-f", filepath.Join(dir, "config", "core", filepath.FromSlash(file)))
	}
	_, err = c.Kubectl(ctx, "", args...)
	return err
}

func eventingDir(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "knative.dev/eventing").Output()
	if err != nil {
		return "", fmt.Errorf("find the files of Knative Eventing: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// serve gives the Knative Service the address that Knative Serving would.
func (c *cluster) serve(ctx context.Context) error {
	var err error
	if c.sink, err = newSink(c.HandlerURL()); err != nil {
		return err
	}
	patch := fmt.Sprintf(`{"status":{"address":{"url":%q},"conditions":[{"type":"Ready","status":"True"}]}}`, c.sink.URL)
	_, err = c.Kubectl(ctx, "", "-n", stack.Namespace, "patch", "services.serving.knative.dev/gateway-cert-handler",
		"--subresource=status", "--type=merge", "-p", patch)
	return err
}

func (c *cluster) startControllers(context.Context) (err error) {
	c.controllers, err = controlplane.StartProcess(controlplane.ProcessOptions{
		Name: "Knative's controllers", Path: c.programs.EventingControllers, Output: &c.log,
		Env: []string{
			"KUBECONFIG=" + c.Kubeconfig(), "POD_NAME=eventing-controller", "PROFILING_PORT=0",
			"SYSTEM_NAMESPACE=" + knativeNamespace, "METRICS_DOMAIN=knative.dev/eventing",
			"CONFIG_LOGGING_NAME=config-logging", "CONFIG_OBSERVABILITY_NAME=config-observability",
			"APISERVER_RA_IMAGE=" + adapterImage,
		},
	})
	return err
}
