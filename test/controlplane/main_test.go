package controlplane_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
)

var (
	assets controlplane.Assets
	plane  *controlplane.ControlPlane

	// startPlane is lazy: half of the tests need no server.
	startPlane = sync.OnceValue(func() (err error) {
		plane, err = controlplane.Start(context.Background(), controlplane.Options{Assets: assets})
		return err
	})
)

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	var err error
	if assets, err = controlplane.Locate(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if plane != nil {
		if err := plane.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return code
}

// runningPlane returns the control plane that the tests of this package share.
func runningPlane(t *testing.T) *controlplane.ControlPlane {
	t.Helper()
	if err := startPlane(); err != nil {
		t.Fatal(err)
	}
	return plane
}
