package cluster

import (
	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	"k8s.io/apimachinery/pkg/types"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// union collects the Certificates of several LISTs that name one Gateway, each
// once, and the oldest of the LISTs' versions.
type union struct {
	gateway types.NamespacedName
	seen    map[types.NamespacedName]bool
	items   []certmanagerv1.Certificate
	version string
	listed  bool
}

func newUnion(gateway types.NamespacedName) *union {
	return &union{gateway: gateway, seen: map[types.NamespacedName]bool{}}
}

func (u *union) add(version string, certificates ...certmanagerv1.Certificate) {
	if !u.listed {
		u.version, u.listed = version, true
	}
	u.version = older(u.version, version)
	for i := range certificates {
		name := plan.NameOf(&certificates[i])
		if target, ok := plan.Target(&certificates[i]); !ok || target != u.gateway || u.seen[name] {
			continue
		}
		u.seen[name] = true
		u.items = append(u.items, certificates[i])
	}
}
