package machine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
)

// Addresses. The host has the end of a cable into the node, and no more.
const (
	HostIP      = "10.77.0.2"
	NodeIP      = "10.77.0.1"
	podCIDR     = "10.78.0.0/24"
	serviceCIDR = "10.96.0.0/16"
	serviceIP   = "10.96.0.1" // of the API server
	// Registry is where the node's images are.
	Registry = NodeIP + ":5000"
)

// hostLink is the host's end of the cable.
const hostLink = "gwcertnode"

// StateDir returns where the node keeps its files while it runs.
func StateDir() (string, error) {
	cache, err := controlplane.CacheDir()
	if err != nil {
		return "", err
	}
	state := filepath.Join(cache, "node")
	if hidden := hiddenBy(state); hidden != "" {
		return "", fmt.Errorf("use %s: the node has a %s of its own: set %s to another place", state, hidden, controlplane.CacheDirVariable)
	}
	return state, nil
}

// Reaches fails if a program of ours could not be run on the node.
func Reaches(program string) error {
	if hidden := hiddenBy(program); hidden != "" {
		return fmt.Errorf("run %s: the node has a %s of its own: clone the repository to another place", program, hidden)
	}
	return nil
}

// hiddenBy returns the directory that the node has one of its own of, so that it
// does not see the path; empty if it does.
func hiddenBy(path string) string {
	for _, own := range []string{"/run/", "/var/lib/", "/var/log/", "/tmp/"} {
		if strings.HasPrefix(path, own) {
			return own
		}
	}
	return ""
}

// Kubeconfig is the administrator's, within the state directory.
func Kubeconfig(state string) string { return filepath.Join(state, "kubeconfig") }

// LogDir has a file for each program on the node.
func LogDir(state string) string { return filepath.Join(state, "log") }

// AuditLog is where the API server notes the requests that etc/audit.yaml names, a
// line of JSON each.
func AuditLog(state string) string { return filepath.Join(LogDir(state), "audit.log") }

// ReferencesFile is written once the node's images can be pulled.
func ReferencesFile(state string) string { return filepath.Join(state, "images.json") }

// Repository names the image of a program by its import path.
func Repository(program string) string {
	return strings.NewReplacer(".", "-", "_", "-").Replace(program)
}

func makeDirs(state string) error {
	for _, name := range []string{"etc/cni", "pki", "log"} {
		if err := os.MkdirAll(filepath.Join(state, name), 0o700); err != nil {
			return fmt.Errorf("make the node's directory: %w", err)
		}
	}
	return nil
}
