// Package trust tests the sources of config/trust that ask an API server, on the
// real one. It is not beside them, because there each process of the fuzz test
// would start such a server.
package trust

import (
	"os"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
)

var plane *controlplane.ControlPlane

func TestMain(m *testing.M) {
	os.Exit(controlplane.WithControlPlane(func(p *controlplane.ControlPlane) int {
		plane = p
		return m.Run()
	}))
}
