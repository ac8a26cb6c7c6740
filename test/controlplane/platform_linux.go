package controlplane

import "syscall"

// childAttributes puts a child into a process group of its own, so that Ctrl-C
// on the terminal does not reach it before its parent decides the order of
// stopping, and has the kernel kill it when its parent dies.
func childAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
