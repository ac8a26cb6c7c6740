package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"text/tabwriter"

	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

// showTable prints the listeners of a Gateway as they are now.
func showTable(ctx context.Context, s *stack.Stack, out *terminal, name string) {
	gateway, err := readGateway(ctx, s, name)
	if err != nil {
		fmt.Fprintln(out, "      ", err)
		return
	}
	_, _ = out.Write(table(gateway))
}

func table(gateway *gatewayv1.Gateway) []byte {
	ledger, _ := plan.ParseLedger(gateway.Annotations[plan.LedgerKey]) // unreadable: shown as the user's
	var text bytes.Buffer
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "       LISTENER\tPORT\tPROTOCOL\tHOSTNAME\tSECRET\tFROM")
	for _, l := range gateway.Spec.Listeners {
		hostname, secret, from := "*", "-", "its owner"
		if l.Hostname != nil {
			hostname = string(*l.Hostname)
		}
		if l.TLS != nil && len(l.TLS.CertificateRefs) > 0 {
			secret = string(l.TLS.CertificateRefs[0].Name)
		}
		if entry, ours := ledger[l.Name]; ours {
			from = "Certificate " + entry.Certificate.String()
		}
		fmt.Fprintf(w, "       %s\t%d\t%s\t%s\t%s\t%s\n", l.Name, l.Port, l.Protocol, cmp.Or(hostname, "*"), secret, from)
	}
	_ = w.Flush() // to memory
	return text.Bytes()
}
