package machine

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"gateway-cert-operator.io/gateway-cert-handler/test/node/images"
)

// Options are what a node is made of. All paths are absolute.
type Options struct {
	// State is a directory that Start makes.
	State string
	// Debian has containerd, runc, the CNI plugins and nftables.
	Debian string
	// Cluster is the program that serves images when it is called with "registry"
	// and a file, and Ingress the networking layer.
	Cluster, Ingress string
	// Etcd, APIServer, Kubectl and what follows are programs by these names.
	Etcd, APIServer, Kubectl                     string
	ControllerManager, Scheduler, Kubelet, Proxy string
	CoreDNS                                      string
	// Images are what pods can run; one of them is called Pause.
	Images images.Spec
}

// Pause is the image that keeps a pod's namespaces.
const Pause = "idle"

// Start starts the node's processes. They go on when the caller ends, until Stop.
// It does not wait for them to be of use.
func Start(ctx context.Context, o Options) error {
	if _, err := os.Stat(o.State); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("start a node: %s is there: run make cluster-down first (stat: %w)", o.State, err)
	}
	if err := makeDirs(o.State); err != nil {
		return err
	}
	if err := configure(o); err != nil {
		return err
	}
	if err := makeCgroups(); err != nil {
		return err
	}
	pid, err := unshare(o)
	if err != nil {
		return err
	}
	return connect(ctx, pid)
}

// configure writes all files that the programs read.
func configure(o Options) error {
	token := rand.Text()
	if err := writePKI(filepath.Join(o.State, "pki"), token); err != nil {
		return err
	}
	spec := o.Images
	spec.Blobs, spec.References = filepath.Join(o.State, "blobs"), ReferencesFile(o.State)
	text, err := json.Marshal(spec)
	if err != nil {
		return fmt.Errorf("say what the registry serves: %w", err)
	}
	if err := os.WriteFile(filepath.Join(o.State, "etc", "registry.json"), text, 0o600); err != nil {
		return fmt.Errorf("say what the registry serves: %w", err)
	}
	return writeFiles(values{
		State: o.State, Debian: o.Debian, Token: token,
		NodeIP: NodeIP, PodCIDR: podCIDR, Cgroup: cgroup,
		Registry: Registry, Pause: Registry + "/" + Pause + ":latest",
	})
}

// unshare starts the node's process 1 and returns its id outside.
func unshare(o Options) (int, error) {
	log, err := os.Create(filepath.Join(LogDir(o.State), "init.log"))
	if err != nil {
		return 0, fmt.Errorf("start the node: %w", err)
	}
	defer log.Close()
	cmd := exec.Command("bash", filepath.Join(o.State, "etc", "init.sh"))
	cmd.Env = environment(o)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Setsid:     true, // Ctrl-C is not for it
		Cloneflags: namespaces,
	}
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("start the node: %w", err)
	}
	return cmd.Process.Pid, writeIdentity(o.State, cmd.Process.Pid)
}

func environment(o Options) []string {
	// Nothing of the caller's surroundings gets in.
	env := []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=" + o.State}
	values := map[string]string{
		"STATE": o.State, "DEBIAN": o.Debian, "LIBRARIES": filepath.Join(o.Debian, "usr/lib/x86_64-linux-gnu"),
		"NODE_IP": NodeIP, "SERVICE_CIDR": serviceCIDR,
		"CLUSTER": o.Cluster, "INGRESS": o.Ingress,
		"ETCD": o.Etcd, "APISERVER": o.APIServer, "KUBECTL": o.Kubectl,
		"CONTROLLER_MANAGER": o.ControllerManager, "SCHEDULER": o.Scheduler,
		"KUBELET": o.Kubelet, "PROXY": o.Proxy, "COREDNS": o.CoreDNS,
	}
	for name := range maps.Keys(values) {
		env = append(env, name+"="+values[name])
	}
	return env
}

// connect lays the cable between the host and the node.
func connect(ctx context.Context, pid int) error {
	for _, args := range [][]string{
		{"link", "add", hostLink, "type", "veth", "peer", "name", "node0", "netns", strconv.Itoa(pid)},
		{"address", "add", HostIP + "/24", "dev", hostLink},
		{"link", "set", hostLink, "up"},
		{"route", "add", podCIDR, "via", NodeIP},
	} {
		if err := ip(ctx, args...); err != nil {
			return fmt.Errorf("connect the host with the node: %w", err)
		}
	}
	return nil
}

func ip(ctx context.Context, args ...string) error {
	out, err := exec.CommandContext(ctx, "ip", args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("ip %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}
