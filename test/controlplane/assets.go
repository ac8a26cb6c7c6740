package controlplane

import (
	"context"
	"fmt"
	"path/filepath"
)

// Assets says where the programs of the control plane lie. All paths are
// absolute.
type Assets struct {
	// Dir is the cache directory of this version.
	Dir string
	// KubernetesDir holds etcd, kube-apiserver and kubectl, as
	// KUBEBUILDER_ASSETS wants it. It is Dir, or the directory the user named,
	// or empty with USE_EXISTING_CLUSTER=true.
	KubernetesDir string
	// ReceiveAdapter is Knative's ApiServerSource adapter.
	ReceiveAdapter string
	// ReceiveAdapterEnv prints the environment Knative gives that adapter.
	ReceiveAdapterEnv string
	// BrokerControllers, BrokerIngress, BrokerFilter and ChannelDispatcher are
	// Knative's Broker of class MTChannelBasedBroker on a channel in memory.
	BrokerControllers, BrokerIngress, BrokerFilter, ChannelDispatcher string
}

// Kubectl returns the command to call kubectl by: the built one, or with an
// existing cluster the one on PATH.
func (a Assets) Kubectl() string {
	if a.KubernetesDir == "" {
		return kubectl
	}
	return filepath.Join(a.KubernetesDir, kubectl)
}

// Locate finds the programs that Build made, without building. It fails when
// one is missing, or when an environment variable that replaces some of them
// is set wrongly.
func Locate() (Assets, error) {
	l, err := readLayout(context.Background())
	if err != nil {
		return Assets{}, err
	}
	if missing := l.target().missing(); len(missing) > 0 {
		return Assets{}, fmt.Errorf("find the test control plane: %s is not in %s: run \"make control-plane\" first",
			missing[0].name, l.assets.Dir)
	}
	return l.assets, nil
}
