package parts

import (
	"context"
	"fmt"
	"io"
	"path"
	"strings"

	"gateway-cert-operator.io/gateway-cert-handler/test/controlplane"
)

// Programs are paths of built programs, by the import path of their main package.
type Programs map[string]string

// Import paths of the programs that run on the node itself.
const (
	ControllerManager = "k8s.io/kubernetes/cmd/kube-controller-manager"
	Kubelet           = "k8s.io/kubernetes/cmd/kubelet"
	Proxy             = "k8s.io/kubernetes/cmd/kube-proxy"
	Scheduler         = "k8s.io/kubernetes/cmd/kube-scheduler"
	CoreDNS           = root + "/coredns"
)

// What is in pods beside Knative: cert-manager's controllers, of package test/peers,
// and the always-on operator that the handler is measured against.
const (
	CertManager = project + "/test/peers/programs/certmanager"
	Operator    = root + "/operator"
)

const root = project + "/test/node"

const project = "gateway-cert-operator.io/gateway-cert-handler"

// family is programs that one nested module builds.
type family struct {
	dir      string // below the project's root
	module   string
	packages []string
	estimate string
	// image is whether they run in pods.
	image bool
}

var families = []family{
	{
		dir: "test/node/kubernetes", module: "k8s.io/kubernetes", estimate: "3 minutes",
		packages: []string{ControllerManager, Kubelet, Proxy, Scheduler},
	},
	{dir: "test/node/coredns", module: "github.com/coredns/coredns", estimate: "2 minutes", packages: []string{CoreDNS}},
	{dir: "test/node/serving", module: "knative.dev/serving", estimate: "3 minutes", image: true, packages: serving},
	{dir: "test/node/eventing", module: "knative.dev/eventing", estimate: "3 minutes", image: true, packages: eventing},
	{
		dir: "test/peers/programs", module: "github.com/cert-manager/cert-manager", estimate: "4 minutes", image: true,
		packages: []string{CertManager},
	},
	{
		dir: "test/node/operator", module: "sigs.k8s.io/controller-runtime", estimate: "2 minutes", image: true,
		packages: []string{Operator},
	},
}

// serving is Knative Serving.
var serving = []string{
	"knative.dev/serving/cmd/activator",
	"knative.dev/serving/cmd/autoscaler",
	"knative.dev/serving/cmd/controller",
	"knative.dev/serving/cmd/queue",
	"knative.dev/serving/cmd/webhook",
}

// eventing is Knative Eventing with its Broker and the channel in memory.
var eventing = []string{
	"knative.dev/eventing/cmd/apiserver_receive_adapter",
	"knative.dev/eventing/cmd/auth_proxy",
	"knative.dev/eventing/cmd/broker/filter",
	"knative.dev/eventing/cmd/broker/ingress",
	"knative.dev/eventing/cmd/controller",
	"knative.dev/eventing/cmd/in_memory/channel_controller",
	"knative.dev/eventing/cmd/in_memory/channel_dispatcher",
	"knative.dev/eventing/cmd/jobsink",
	"knative.dev/eventing/cmd/mtchannel_broker",
	"knative.dev/eventing/cmd/mtping",
	"knative.dev/eventing/cmd/webhook",
}

// Built are the programs of a node.
type Built struct {
	// OnNode run beside the pods, InPods in images of their own.
	OnNode, InPods Programs
}

// Build makes what is not in the cache yet. One line per step goes to progress.
func Build(ctx context.Context, progress io.Writer) (Built, error) {
	built := Built{OnNode: Programs{}, InPods: Programs{}}
	for _, f := range families {
		into := built.OnNode
		if f.image {
			into = built.InPods
		}
		for _, pkg := range f.packages {
			program, err := f.tool(pkg).Build(ctx, progress)
			if err != nil {
				return Built{}, fmt.Errorf("build %s: %w", pkg, err)
			}
			into[pkg] = program
		}
	}
	return built, nil
}

// tool is how to build one program of a family.
func (f family) tool(pkg string) controlplane.Tool {
	return controlplane.Tool{
		Name:       name(pkg),
		Dir:        f.dir,
		Module:     f.module,
		Package:    pkg,
		Estimate:   f.estimate,
		Static:     f.image,
		Kubernetes: f.module == "k8s.io/kubernetes",
	}
}

// name tells the programs apart that are called the same: the controllers and
// webhooks of Serving and of Eventing.
func name(pkg string) string {
	if rest, ok := strings.CutPrefix(pkg, "knative.dev/"); ok {
		return strings.NewReplacer("/cmd/", "-", "/", "-").Replace(rest)
	}
	return path.Base(pkg)
}

// InPods returns the import paths of all programs that have images.
func InPods() []string {
	var packages []string
	for _, f := range families {
		if f.image {
			packages = append(packages, f.packages...)
		}
	}
	return packages
}
