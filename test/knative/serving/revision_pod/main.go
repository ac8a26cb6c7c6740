// Command revision_pod prints the pod that Knative's Serving controller makes of
// a Service, as the JSON of a Kubernetes PodTemplateSpec: the Service's own
// container and queue-proxy beside it. The Service is read from standard input
// as YAML or JSON.
//
// The controller's own code makes it, with the ConfigMaps as Knative ships them,
// so the processes in a test are configured by the manifest exactly as in a
// cluster.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "revision_pod:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	manifest, err := io.ReadAll(in)
	if err != nil {
		return fmt.Errorf("read the Service from standard input: %w", err)
	}
	cfg, err := shippedConfig()
	if err != nil {
		return err
	}
	service, err := readService(manifest, cfg)
	if err != nil {
		return err
	}
	pod, err := revisionPod(service, cfg)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(out).Encode(pod); err != nil {
		return fmt.Errorf("print the pod: %w", err)
	}
	return nil
}
