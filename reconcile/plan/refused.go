package plan

import (
	"encoding/json"

	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// refusedBefore is what people are told of a refusal that only the ledger
// remembers; the API server's words went into the first telling.
const refusedBefore = "refused before; it is offered again when the listener or the Gateway's spec changes"

// refusedDigestLength is the number of hexadecimal digits of a refusal in the
// ledger. A collision would only delay an offer until the next change.
const refusedDigestLength = 16

// refusedNow returns the words of the refusals in this run.
func refusedNow(in Input) func(step) string {
	return func(s step) string { return in.Refused[s.name()] }
}

// refusedEarlier recognizes what the API server has refused in an earlier run,
// of this very content under this very spec.
func refusedEarlier(ledger Ledger, spec *gatewayv1.GatewaySpec) func(step) string {
	return func(s step) string {
		entry := ledger[s.name()]
		if known := entry.Refused + entry.Kept; known == "" || known != s.digest(spec) {
			return ""
		}
		return refusedBefore
	}
}

// refusalFinding is what people are told. The words differ from run to run; the
// digest tells that it is the same refusal.
func (s step) refusalFinding(spec *gatewayv1.GatewaySpec) Finding {
	what := map[Action]string{Added: "this listener", Changed: "the change of this listener", Removed: "the removal of this listener"}[s.change.Action]
	return Finding{
		Reason: ReasonRefusedByServer, Certificate: s.change.Certificate, Hostname: string(s.change.Hostname), Listener: s.name(),
		Message: "the API server will not have " + what + ": " + s.refusal,
		Key:     string(s.name()) + " " + s.digest(spec),
	}
}

// refusedEntry remembers the refusal in the ledger. A listener that is ours
// already, whether or not it stands just now, stays ours.
func (s step) refusedEntry(spec *gatewayv1.GatewaySpec) Entry {
	e := s.entry
	if s.isNew() {
		e.Refused = s.digest(spec)
	} else {
		e.Kept = s.digest(spec)
	}
	return e
}

// digest is of what was refused and of the spec that it was refused for.
func (s step) digest(spec *gatewayv1.GatewaySpec) string {
	text, err := json.Marshal([]any{s.want, spec})
	if err != nil {
		panic("a Gateway that came as JSON must marshal: " + err.Error())
	}
	return hexDigest(string(text), refusedDigestLength)
}
