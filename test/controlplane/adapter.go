package controlplane

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// adapterGrace is how long an adapter whose context ends may take to finish.
const adapterGrace = 5 * time.Second

// AdapterOptions describe one receive adapter.
type AdapterOptions struct {
	Assets Assets
	// Kubeconfig is the path of the kubeconfig it runs with, see
	// ControlPlane.ServiceAccountKubeconfig.
	Kubeconfig string
	// Env is its environment as a pod would have it, from AdapterEnv or from a
	// manifest, resolved by ResolveEnv with Namespace as metadata.namespace.
	Env       []corev1.EnvVar
	Namespace string
	// Output receives its log, one line per Write; nil drops it.
	Output io.Writer
}

// Adapter is a running receive adapter of Knative's ApiServerSource.
type Adapter struct {
	*Process
	watches *watchTracker
	tail    *outputTail
}

// StartAdapter starts a receive adapter, which is stopped when ctx ends, if it
// has not been before. It binds no fixed port, so several run side by side.
//
// The adapter never reports what exists when it starts: call WaitUntilWatching
// before changing anything.
func StartAdapter(ctx context.Context, opts AdapterOptions) (*Adapter, error) {
	env, err := ResolveEnv(opts.Env, map[string]string{"metadata.namespace": opts.Namespace})
	if err != nil {
		return nil, fmt.Errorf("start an adapter: %w", err)
	}
	watches, err := newWatchTracker(env[sourceConfigVariable])
	if err != nil {
		return nil, fmt.Errorf("start an adapter: %w", err)
	}
	adjustEnv(env, opts.Kubeconfig)

	adapter := &Adapter{watches: watches, tail: &outputTail{}}
	outputs := []io.Writer{watches, adapter.tail}
	if opts.Output != nil {
		outputs = append(outputs, opts.Output)
	}
	adapter.Process, err = StartProcess(ProcessOptions{
		Name:   "receive adapter " + env["NAME"],
		Path:   opts.Assets.ReceiveAdapter,
		Env:    env.List(),
		Output: io.MultiWriter(outputs...),
	})
	if err != nil {
		return nil, err
	}
	release := context.AfterFunc(ctx, func() { _ = adapter.Stop(adapterGrace) })
	go func() {
		<-adapter.Done()
		release()
	}()
	return adapter, nil
}

// adjustEnv changes what a process on a shared machine needs otherwise than a
// pod does.
func adjustEnv(env Env, kubeconfig string) {
	env["KUBECONFIG"] = kubeconfig
	// The profiling server listens even while profiling is off; its default is
	// one port for all.
	env["PROFILING_PORT"] = "0"
	if level, err := strconv.Atoi(env["K_KLOG_VERBOSITY"]); err != nil || level < watchVerbosity {
		env["K_KLOG_VERBOSITY"] = strconv.Itoa(watchVerbosity)
	}
}

// WaitUntilWatching waits until every change of the resources in the adapter's
// K_SOURCE_CONFIG will be sent. It fails when ctx or the adapter ends first,
// with the resources that are not watched and the end of the adapter's log.
func (a *Adapter) WaitUntilWatching(ctx context.Context) error {
	select {
	case <-a.watches.complete:
		return nil
	case <-a.Done():
		return fmt.Errorf("wait for the adapter to watch %s: it ended:\n%s", a.watches.missing(), a.tail)
	case <-ctx.Done():
		return fmt.Errorf("wait for the adapter to watch %s: %w; its log ends with:\n%s",
			a.watches.missing(), context.Cause(ctx), a.tail)
	}
}
