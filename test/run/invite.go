package main

import (
	"fmt"
	"os/exec"

	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

// invite says how to go on by hand.
func invite(out *terminal, s *stack.Stack) {
	out.section("Now it is your turn, in another terminal")
	fmt.Fprintf(out, "export KUBECONFIG=%s\n", s.Kubeconfig())
	if _, err := exec.LookPath("kubectl"); err != nil {
		fmt.Fprintf(out, "alias kubectl=%s\n", s.KubectlPath())
	}
	fmt.Fprintf(out, "# the handler takes CloudEvents at %s\n", s.HandlerURL())
	fmt.Fprint(out, `
kubectl -n demo get certificates,gateways
kubectl -n demo patch certificate shop --type merge -p '{"spec":{"dnsNames":["shop.example.com","www.example.com"]}}'
kubectl -n demo patch certificate shop --type merge -p '{"spec":{"secretName":"new-tls"}}'
kubectl -n demo label certificate admin gateway-cert-operator.io/gateway-name-
kubectl -n demo delete certificate tenants
kubectl -n demo get gateway edge -o yaml

Ctrl-C ends it.
`)
}
