package plan

import (
	"cmp"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// Finding is one thing that people are to be told.
type Finding struct {
	Reason Reason
	// Certificate is whose wish it is about; zero when it is the Gateway's own
	// matter.
	Certificate types.NamespacedName
	// Hostname as the Certificate spells it; empty when it is about all of them.
	Hostname string
	// Listener is the listener concerned, where there is one.
	Listener gatewayv1.SectionName
	// Message says it to a person: what, why and what would help.
	Message string
	// Key is the same for the same cause where the Message is not; else empty.
	Key string
	// Early is set on what a Gateway's controller has said before the Certificate was
	// Ready, and may take back as soon as it looks at the Secret.
	Early bool
}

func findingOrder(a, b Finding) int {
	return cmp.Or(
		strings.Compare(a.Certificate.String(), b.Certificate.String()),
		strings.Compare(a.Hostname, b.Hostname),
		strings.Compare(string(a.Reason), string(b.Reason)),
		strings.Compare(string(a.Listener), string(b.Listener)),
		strings.Compare(a.Message, b.Message),
	)
}
