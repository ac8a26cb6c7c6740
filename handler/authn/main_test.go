package authn_test

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
