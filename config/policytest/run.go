package policytest

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// maxTold bounds the lines of a difference.
const maxTold = 20

// Diff plans under the defaults and returns how that differs from what is wanted,
// a line for each listener and refusal: with "- " what is missing, with "+ " what
// is not wanted. Empty if all is as it should be.
func (t Test) Diff(defaults plan.Defaults) string {
	in := t.input(defaults)
	p := plan.For(in)
	of := expectation{in.Gateway}
	noListeners, listeners := unpaired(t.Want.Listeners, oursOf(p), of.fitsListener)
	noRefusals, refusals := unpaired(t.Want.Refusals, p.Rejections, of.fitsRefusal)

	var lines []string
	for _, want := range noListeners {
		lines = append(lines, "- listener "+want.String())
	}
	for _, got := range listeners {
		lines = append(lines, "+ listener "+got.String())
	}
	for _, want := range noRefusals {
		lines = append(lines, "- refusal "+want.String())
	}
	for _, got := range refusals {
		lines = append(lines, "+ refusal "+refusalOf(got).String()+": "+got.Message)
	}
	if len(lines) > maxTold {
		lines = append(lines[:maxTold], fmt.Sprintf("and %d more", len(lines)-maxTold))
	}
	return strings.Join(lines, "\n")
}

// oursOf returns the plan's listeners that are ours.
func oursOf(p plan.Plan) (ours []Listener) {
	for _, listener := range p.Listeners {
		entry, known := p.Ledger[listener.Name]
		if !known {
			continue
		}
		ours = append(ours, Listener{
			Name: string(listener.Name), Hostname: string(hostnameOf(listener)),
			Port: int32(listener.Port), Certificate: entry.Certificate.String(),
		})
	}
	return ours
}

func hostnameOf(listener gatewayv1.Listener) gatewayv1.Hostname {
	if listener.Hostname == nil {
		return ""
	}
	return *listener.Hostname
}

func refusalOf(f plan.Finding) Refusal {
	r := Refusal{Reason: string(f.Reason), Hostname: f.Hostname}
	if f.Certificate != (types.NamespacedName{}) {
		r.Certificate = f.Certificate.String()
	}
	return r
}

// expectation compares what is wanted on a Gateway with what there is.
type expectation struct{ gateway *gatewayv1.Gateway }

func (e expectation) fitsListener(want Listener, got Listener) bool {
	return same(want.Name, got.Name) && e.sameCertificate(want.Certificate, got.Certificate) &&
		sameHostname(want.Hostname, got.Hostname) && (want.Port == 0 || want.Port == got.Port)
}

func (e expectation) fitsRefusal(want Refusal, finding plan.Finding) bool {
	got := refusalOf(finding)
	return same(want.Reason, got.Reason) && e.sameCertificate(want.Certificate, got.Certificate) &&
		sameHostname(want.Hostname, got.Hostname)
}

func same(want, got string) bool { return want == "" || want == got }

func (e expectation) sameCertificate(want, got string) bool {
	namespace, name, both := strings.Cut(want, "/")
	if !both {
		namespace, name = "", want
	}
	return want == "" || named(name, namespace, e.gateway).String() == got
}

// sameHostname minds no spelling where both are hostnames.
func sameHostname(want, got string) bool {
	return want == "" || spelled(want) == spelled(got)
}

func spelled(hostname string) string {
	normal, err := plan.NormalizeHostname(hostname)
	if err != nil {
		return hostname
	}
	return string(normal)
}

// String spells it as the settings do.
func (l Listener) String() string {
	port := ""
	if l.Port != 0 {
		port = fmt.Sprint(l.Port)
	}
	return flow("name", l.Name, "hostname", l.Hostname, "port", port, "certificate", l.Certificate)
}

// String spells it as the settings do.
func (r Refusal) String() string {
	return flow("reason", r.Reason, "certificate", r.Certificate, "hostname", r.Hostname)
}

// flow writes the pairs of keys and values that have a value, in YAML's short form.
func flow(pairs ...string) string {
	var said []string
	for i := 0; i < len(pairs); i += 2 {
		value := pairs[i+1]
		if strings.HasPrefix(value, "*") {
			value = fmt.Sprintf("%q", value) // else an alias
		}
		if value != "" {
			said = append(said, pairs[i]+": "+value)
		}
	}
	return "{" + strings.Join(said, ", ") + "}"
}
