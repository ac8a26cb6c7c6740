package main

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/test/golden"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
)

// terminal is one stream for what is printed and what is said, as people see it.
func terminal(input string) (genericiooptions.IOStreams, *bytes.Buffer) {
	var screen bytes.Buffer
	return genericiooptions.IOStreams{In: bytes.NewBufferString(input), Out: &screen, ErrOut: &screen}, &screen
}

func TestTheOutputOfASweep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		streams, screen := terminal("")
		s := &sweeping{streams: streams, wait: true, destination: nearby(reconciler(func(reconcile.Change) ([]reconcile.Outcome, error) {
			<-time.After(1200 * time.Millisecond) // of the test's own time
			return nil, nil
		}))}
		s.url = "http://localhost:8080"
		namespace.Must(t, s.run(t.Context()))
		golden.Check(t, "sweep.txt", screen.String())
	})
}

func TestTheOutputOfAReplay(t *testing.T) {
	streams, screen := terminal(aboutShop + "\n" + aboutNobody + "\n")
	r := &replaying{streams: streams, destination: nearby(reconciler(func(reconcile.Change) ([]reconcile.Outcome, error) { return nil, nil }))}
	if err := r.run(t.Context(), "-"); err == nil {
		t.Error("an event was refused, and that is no error")
	}
	golden.Check(t, "replay.txt", screen.String())
}
