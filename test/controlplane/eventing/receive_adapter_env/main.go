// Command receive_adapter_env prints the environment that Knative's
// ApiServerSource controller gives to the receive adapter of a source, as a
// JSON list of Kubernetes EnvVar. The source is read from standard input as
// YAML or JSON.
//
// The controller's own code makes it, so the adapter in a test is configured
// by the manifest exactly as in a cluster.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	opts := options{logging: settings{}, observability: settings{}}
	flag.StringVar(&opts.sink, "sink", "", "URL that the source's sink is resolved to")
	flag.Var(&opts.namespaces, "namespaces", "comma-separated names of the namespaces that the source's namespaceSelector selects")
	flag.Var(opts.logging, "config-logging", "key=value of the ConfigMap config-logging; may be repeated")
	flag.Var(opts.observability, "config-observability", "key=value of the ConfigMap config-observability; may be repeated")
	flag.Parse()
	if err := run(opts, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "receive_adapter_env:", err)
		os.Exit(1)
	}
}

func run(opts options, in io.Reader, out io.Writer) error {
	manifest, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("read the ApiServerSource from standard input: %w", err)
	}
	source, err := readSource(manifest)
	if err != nil {
		return err
	}
	env, err := adapterEnv(source, opts)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(out).Encode(env); err != nil {
		return fmt.Errorf("print the environment: %w", err)
	}
	return nil
}
