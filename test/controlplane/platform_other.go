//go:build !linux && !darwin

package controlplane

import (
	"errors"
	"os"
)

var errPlatform = errors.New("the test control plane runs on Linux and macOS only: use one of them, or a container")

func tryLock(*os.File) (bool, error) { return false, errPlatform }
