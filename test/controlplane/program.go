package controlplane

import (
	"fmt"
	"os"
	"path/filepath"
)

// File names of the programs.
const (
	etcd              = "etcd"
	apiServer         = "kube-apiserver"
	kubectl           = "kubectl"
	receiveAdapter    = "apiserver_receive_adapter"
	receiveAdapterEnv = "receive_adapter_env"
	brokerControllers = "broker_controllers"
	brokerIngress     = "broker_ingress"
	brokerFilter      = "broker_filter"
	channelDispatcher = "channel_dispatcher"
)

var kubernetesPrograms = []string{etcd, apiServer, kubectl}

// program is one program to build.
type program struct {
	name    string // file name of the result
	version string // shown to people
	dir     string // module to build in
	pkg     string
	ldflags string
}

// checkExecutable tells whether dir holds a program of that name that can be
// run.
func checkExecutable(dir, name string) error {
	path := filepath.Join(dir, name)
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0 {
		return fmt.Errorf("%s is not an executable file", path)
	}
	return nil
}
