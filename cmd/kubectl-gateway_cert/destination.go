package main

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/deliver"
)

// destination is where events are sent, and on whose behalf.
type destination struct {
	url       string
	token     string
	tokenFile string
	timeout   time.Duration
	// transport is for tests; nil stands for the network.
	transport http.RoundTripper
}

// addFlags adds a --token that hides kubectl's own: these commands do not talk to
// the API server.
func (d *destination) addFlags(command *cobra.Command, timeout time.Duration) {
	flags := command.Flags()
	flags.StringVar(&d.url, "url", "", "Where the handler can be reached, such as http://localhost:8080 behind kubectl port-forward.")
	flags.StringVar(&d.token, "token", "", "Token to show to the handler, where it takes events of known senders only. Others on this machine can see it; --token-file is better.")
	flags.StringVar(&d.tokenFile, "token-file", "", "File with that token.")
	flags.DurationVar(&d.timeout, "timeout", timeout, "How long to wait for an answer, repeated tries included.")
	command.MarkFlagsMutuallyExclusive("token", "token-file")
}

func (d *destination) target() (deliver.Target, error) {
	token := d.token
	switch {
	case d.url == "":
		return deliver.Target{}, errors.New(howToReach)
	case d.timeout <= 0:
		return deliver.Target{}, fmt.Errorf("--timeout is %s, and must be more than nothing", d.timeout)
	case d.tokenFile != "":
		var err error
		if token, err = deliver.ReadToken(d.tokenFile); err != nil {
			return deliver.Target{}, err
		}
	}
	return deliver.NewTarget(d.url, token)
}

// howToReach is for who knows no URL. Port 8012 is queue-proxy's, Knative's proxy
// in front of the handler, so that Knative sees the work and lets the pod live.
const howToReach = `--url is missing, and the handler has no address outside the cluster. Where a pod
of it runs, lead a port of this machine to it:

  kubectl -n gateway-cert port-forward deployment/$(kubectl -n gateway-cert get ksvc gateway-cert-handler \
    -o jsonpath='{.status.latestReadyRevisionName}')-deployment 8080:8012

and say --url http://localhost:8080. Where none runs, port-forward wakes none;
ask from within the cluster, with any image that has curl:

  kubectl -n gateway-cert run sweep --rm -i --restart=Never --image=IMAGE -- curl -sS --max-time 90 -w '%{http_code}\n' \
    -H 'ce-specversion: 1.0' -H 'ce-id: sweep' -H 'ce-source: /kubectl' -H 'ce-type: dev.knative.sources.ping' \
    -X POST http://gateway-cert-handler.gateway-cert.svc`
