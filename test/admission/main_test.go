// Package admission asks the real API server what the policy in
// knative/components/admission lets through, and holds that to what the planner
// makes of the same.
package admission

import (
	"context"
	"fmt"
	"os"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
)

var plane *controlplane.ControlPlane

func TestMain(m *testing.M) {
	os.Exit(controlplane.WithControlPlane(func(p *controlplane.ControlPlane) int {
		plane = p
		if err := prepare(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		code := m.Run()
		if err := cleanUp(context.Background()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return code
	}))
}
