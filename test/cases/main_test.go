// Package cases has the faults that people have reported of products like this
// one, each as a test on the real API server: a test's name carries the row of
// the list that it stands for. L is what Certificates ask for, M what
// cert-manager does, W what other writers of the Gateway do.
package cases

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
)

var (
	plane  *controlplane.ControlPlane
	assets controlplane.Assets
)

// atOnce is how many tests run side by side unless -parallel says otherwise.
// Most of them wait, for the API server or for a pause to pass.
const atOnce = "8"

func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", atOnce); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(controlplane.WithControlPlane(func(p *controlplane.ControlPlane) int {
		var err error
		if assets, err = controlplane.Locate(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		plane = p
		return m.Run()
	}))
}
