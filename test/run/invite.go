package main

import (
	"fmt"
	"os/exec"

	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

// invite says how to go on by hand.
func invite(out *terminal, s *stack.Stack) {
	inviteShell(out, s)
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

// client is what a TLS client has to be told.
type client struct{ port, ca string }

// inviteClient says how to look at what is served.
func inviteClient(out *terminal, s *stack.Stack, c client) {
	inviteShell(out, s)
	fmt.Fprintf(out, `
# what a client is served
curl -v --resolve %[1]s:%[2]s:127.0.0.1 --cacert %[3]s https://%[1]s:%[2]s/

# have it renewed: curl shows another start date, and the Gateway is not written
kubectl -n demo patch certificate shop --subresource=status --type merge -p '{"status":{"conditions":[{"type":"Issuing","status":"True","reason":"ManuallyTriggered","message":"by hand"}]}}'

# take it off, and curl refuses what it is served instead; and put it back
kubectl -n demo delete certificate shop
kubectl apply -f test/run/certificate.yaml

kubectl -n demo get gateway edge -o yaml

Ctrl-C ends it.
`, hostname, c.port, c.ca)
}

// inviteShell says how to reach what runs.
func inviteShell(out *terminal, s *stack.Stack) {
	out.section("Now it is your turn, in another terminal")
	fmt.Fprintf(out, "export KUBECONFIG=%s\n", s.Kubeconfig())
	if _, err := exec.LookPath("kubectl"); err != nil {
		fmt.Fprintf(out, "alias kubectl=%s\n", s.KubectlPath())
	}
	fmt.Fprintf(out, "# the handler takes CloudEvents at %s\n", s.HandlerURL())
}
