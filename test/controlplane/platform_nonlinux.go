//go:build !linux

package controlplane

import "syscall"

// childAttributes leaves a child in its parent's process group: without a
// parent death signal, the terminal's Ctrl-C is what ends both.
func childAttributes() *syscall.SysProcAttr { return nil }
