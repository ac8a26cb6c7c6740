package reconcile

import (
	"crypto/sha256"
	"encoding/json"

	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// complaints is a digest of what a Gateway's controller says against our
// listeners: all of a status that a run looks at. Zero is that it says nothing.
type complaints [sha256.Size]byte

func complaintsOf(gateway *gatewayv1.Gateway) complaints {
	said := plan.Complaints(gateway, ledgerOf(gateway.ObjectMeta))
	if len(said) == 0 {
		return complaints{}
	}
	text, _ := json.Marshal(said) // texts are always encoded
	return sha256.Sum256(text)
}

// read makes of the status that came with a change what coverage compares, before
// the change is kept: a status may be large, and many changes wait at once. One
// that cannot be read covers nothing.
func (c Change) read() Change {
	if c.Kind != Gateway || c.Status == nil {
		return c
	}
	gateway := gatewayv1.Gateway{ObjectMeta: c.Object.ObjectMeta}
	c.unreadable = json.Unmarshal(c.Status, &gateway.Status) != nil
	c.complaints, c.Status = complaintsOf(&gateway), nil
	return c
}
