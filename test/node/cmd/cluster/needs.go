package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"

	"gateway-cert-operator.io/gateway-cert-handler/test/node/machine"
)

// possible fails with what keeps this machine from having a node.
func possible(ctx context.Context) error {
	if err := needs(); err != nil {
		return err
	}
	if _, err := machine.StateDir(); err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find out where this program is: %w", err)
	}
	if err := machine.Reaches(program); err != nil {
		return err
	}
	return machine.Possible(ctx)
}

// needs fails with all that is missing on this machine.
func needs() error {
	var missing []error
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		missing = append(missing, fmt.Errorf("this is %s on %s: the node needs linux on amd64", runtime.GOOS, runtime.GOARCH))
	}
	if os.Geteuid() != 0 {
		missing = append(missing, errors.New("the node needs root, for namespaces, mounts and cgroups"))
	}
	for program, from := range map[string]string{
		"apt-get": "Debian", "dpkg-deb": "Debian", "bash": "Debian", "go": "https://go.dev/doc/install",
		"ip": "the package iproute2", "mount": "the package mount",
	} {
		if _, err := exec.LookPath(program); err != nil {
			missing = append(missing, fmt.Errorf("%s is not on PATH: it comes from %s", program, from))
		}
	}
	return errors.Join(missing...)
}
