package zero

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/test/namespace"
	"gateway-cert-operator.io/gateway-cert-handler/test/node/machine"
	"gateway-cert-operator.io/gateway-cert-handler/test/node/parts"
)

// operator starts the always-on operator and waits until it does its work: it has
// to be worth the comparison.
func operator(t *testing.T) {
	t.Helper()
	reference := image(t, machine.Repository(parts.Operator))
	if reference == "" {
		t.Fatal("the node has no image of the operator: start it anew, make cluster-down cluster")
	}
	text := strings.ReplaceAll(manifest(t, "operator.yaml"), "IMAGE", reference)
	t.Cleanup(func() { run(t, text, "delete", "--ignore-not-found", "-f", "-") })
	run(t, text, "apply", "-f", "-")
	run(t, "", "-n", "default", "rollout", "status", "deployment/operator", "--timeout=90s")

	n := newNamespace(t)
	n.CreateGateway("own", nil)
	// Without the label it is none of the handler's.
	createAnnotated(t, n, annotated{name: "own", gateway: "own"})
	eventually(t, "the operator has written to a Gateway", func(ctx context.Context) error {
		gateway, err := n.Gateways.Get(ctx, "own", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if found := hostnames(gateway); !slices.Contains(found, "own.example.com") {
			return fmt.Errorf("its hostnames are %q", found)
		}
		return nil
	})
	removeNamespace(t, n.Name)
}

// annotated is a Certificate that names its Gateway by an annotation, which is how
// the operator finds it, and if labelled also as the handler does.
type annotated struct {
	name, gateway string
	labelled      bool
}

func createAnnotated(t *testing.T, n *namespace.Namespace, a annotated) (hostname string) {
	t.Helper()
	hostname = a.name + ".example.com"
	made := certificate(a.name, a.gateway, hostname)
	made.Annotations = map[string]string{plan.GatewayNameKey: a.gateway}
	if !a.labelled {
		made.Labels = nil
	}
	if _, err := n.Certificates.Create(t.Context(), made, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return hostname
}
