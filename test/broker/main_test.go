// Package broker tests the way through a Broker: the example overlay as it is
// shipped, Knative's adapter, and Knative's Broker of class MTChannelBasedBroker
// on a channel in memory, with its controllers, ingress, filter and dispatcher
// each a process of its own.
//
// What stands in for a cluster: no pods, so Services have no endpoints but those
// that are written here, and their names lead to ports on loopback by a proxy.
// The proxy answers 502 where nothing listens, as the one in front of a Knative
// Service does. Knative's webhooks do not run; the defaults that they fill in
// are filled in by their own code. The JobSink is a recorder, for Knative's own
// binds the same fixed port as the dispatcher.
//
// Not shown here: a Broker of another class, the JobSink itself, Knative's
// authentication of the Broker, and what a restart of the dispatcher loses.
package broker

import (
	"context"
	"fmt"
	"net"
	"os"
	"testing"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

// dispatcherPort is the one that Knative's dispatcher listens on, whatever one
// tells it.
const dispatcherPort = "8080"

// patience is how long a thing may take that is a matter of seconds.
const patience = 60 * time.Second

var (
	system *cluster
	// absent says why there is no system.
	absent string
)

func TestMain(m *testing.M) { stack.Exit(runAll(m)) }

func runAll(m *testing.M) (code int, err error) {
	listener, err := net.Listen("tcp", ":"+dispatcherPort)
	if err != nil {
		absent = "Knative's dispatcher can listen on no other port: " + err.Error()
		return m.Run(), nil
	}
	if err := listener.Close(); err != nil {
		return 1, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	var log recording
	system, err = startCluster(ctx, &log)
	if err != nil {
		return 1, fmt.Errorf("%w\nthe processes' logs end with:\n%s", err, log.tail())
	}
	defer func() {
		if stopErr := system.stop(); stopErr != nil {
			code, err = 1, stopErr
		}
	}()
	if code = m.Run(); code != 0 {
		fmt.Fprintf(os.Stderr, "the processes' logs end with:\n%s", log.tail())
	}
	return code, nil
}
