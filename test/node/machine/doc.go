// Package machine is one Kubernetes node with its control plane, in namespaces of
// its own: kubelet, containerd and runc run real pods, and nothing gets out.
package machine
