package controlplane

import (
	"context"
	"fmt"
	"os"
)

// WithControlPlane starts a control plane from what Build has made, calls run
// with it, stops it, and returns run's exit code, or 1 with the reason on
// standard error. It is the whole of a TestMain:
//
//	func TestMain(m *testing.M) {
//		os.Exit(controlplane.WithControlPlane(func(p *controlplane.ControlPlane) int {
//			plane = p
//			return m.Run()
//		}))
//	}
func WithControlPlane(run func(*ControlPlane) int) int {
	assets, err := Locate()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	plane, err := Start(context.Background(), Options{Assets: assets})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := run(plane)
	if err := plane.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}
