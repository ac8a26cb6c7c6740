package controlplane

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// AdapterEnvOptions describe an ApiServerSource for AdapterEnv.
type AdapterEnvOptions struct {
	Assets Assets
	// Source is the ApiServerSource as YAML or JSON.
	Source []byte
	// Sink is the URL that Knative would have resolved the source's sink to.
	Sink string
	// Namespaces are the names of the namespaces that the source's
	// namespaceSelector selects. Not needed without a selector, nor with an
	// empty one, which selects all.
	Namespaces []string
	// Logging and Observability are the data of Knative's ConfigMaps
	// config-logging and config-observability; nil stands for its defaults.
	Logging, Observability map[string]string
}

// AdapterEnv returns the environment that Knative's own controller would give
// to the adapter of an ApiServerSource. A source that Knative's webhook would
// refuse is an error.
func AdapterEnv(ctx context.Context, opts AdapterEnvOptions) ([]corev1.EnvVar, error) {
	args := []string{"--sink", opts.Sink}
	if len(opts.Namespaces) > 0 {
		args = append(args, "--namespaces", strings.Join(opts.Namespaces, ","))
	}
	for key, value := range opts.Logging {
		args = append(args, "--config-logging", key+"="+value)
	}
	for key, value := range opts.Observability {
		args = append(args, "--config-observability", key+"="+value)
	}
	cmd := exec.CommandContext(ctx, opts.Assets.ReceiveAdapterEnv, args...)
	cmd.Env = []string{}
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(opts.Source), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("have Knative make the adapter's environment: %w: %s", err, strings.TrimSpace(stderr.String()))
	}
	var env []corev1.EnvVar
	if err := json.Unmarshal(stdout.Bytes(), &env); err != nil {
		return nil, fmt.Errorf("read the adapter's environment that Knative made: %w", err)
	}
	return env, nil
}
