// Package knative builds Knative's own programs that tests run beside the control
// plane: the controllers that reconcile sources, the adapter of PingSources, and
// queue-proxy.
package knative

import (
	"context"
	"io"
	"os"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
)

// TestsVariable names the environment variable without which the tests below this
// package are skipped: their programs take minutes to build.
const TestsVariable = "KNATIVE_TESTS"

// Programs are the paths of what Build has made.
type Programs struct {
	// EventingControllers reconciles ApiServerSources, ContainerSources,
	// PingSources and SinkBindings.
	EventingControllers string
	// PingSourceAdapter sends the events of all PingSources.
	PingSourceAdapter string
	// QueueProxy stands in front of a Knative Service's container.
	QueueProxy string
	// RevisionPod prints the pod that Knative makes of a Service.
	RevisionPod string
}

const (
	eventingDir    = "test/controlplane/eventing"
	eventingModule = "knative.dev/eventing"
	servingDir     = "test/knative/serving"
	servingModule  = "knative.dev/serving"
)

// Build returns the paths of the programs and builds those that are not in the
// cache yet. One line per step goes to progress. When ctx ends, the build stops.
func Build(ctx context.Context, progress io.Writer) (Programs, error) {
	var p Programs
	for _, program := range []struct {
		path *string
		tool controlplane.Tool
	}{
		{&p.EventingControllers, controlplane.Tool{
			Name: "eventing_controllers", Dir: eventingDir, Module: eventingModule,
			Package: "./eventing_controllers", Estimate: "3 minutes",
		}},
		{&p.PingSourceAdapter, controlplane.Tool{
			Name: "pingsource_adapter", Dir: eventingDir, Module: eventingModule,
			Package: "./pingsource_adapter", Estimate: "half a minute",
		}},
		{&p.QueueProxy, controlplane.Tool{
			Name: "queue_proxy", Dir: servingDir, Module: servingModule,
			Package: "knative.dev/serving/cmd/queue", Estimate: "a minute",
		}},
		{&p.RevisionPod, controlplane.Tool{
			Name: "revision_pod", Dir: servingDir, Module: servingModule,
			Package: "./revision_pod", Estimate: "a minute",
		}},
	} {
		var err error
		if *program.path, err = program.tool.Build(ctx, progress); err != nil {
			return Programs{}, err
		}
	}
	return p, nil
}

// Asked tells whether the tests were asked for.
func Asked() bool { return os.Getenv(TestsVariable) != "" }

// Need skips a test unless it was asked for.
func Need(t *testing.T) {
	t.Helper()
	if !Asked() {
		t.Skipf("%s is not set: run \"make test-knative\"", TestsVariable)
	}
}
