package explain

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// What the planner says of the hostname.

// refusable is a link that the planner's refusals are asked for.
//
// One of the name itself is in the way; one of the whole Certificate or Gateway
// only where the name gets no listener and nothing more is said of it.
func refusable(step Step) func(*wish) found {
	return func(w *wish) found {
		ofName, ofMore := w.refusals(step)
		switch {
		case len(ofName) > 0:
			return w.refused(ofName[0])
		case len(ofMore) == 0:
			return holds("")
		}
		f := w.refused(ofMore[0])
		if len(w.ofName) > 0 { // and that is what is in the way
			f.state = Warning
		}
		return f
	}
}

func (w *wish) refused(f plan.Finding) found {
	state := Broken
	if w.listener != nil {
		state = Warning
	}
	return found{state, string(f.Reason), f.Message}
}

func (w *wish) hostnameIsValid() found {
	hostname, err := plan.NormalizeHostname(w.dnsName)
	switch {
	case w.dnsName == "":
		return found{Broken, string(plan.ReasonNoDNSNames), "the Certificate has no spec.dnsNames"}
	case err != nil:
		return found{Broken, string(plan.ReasonInvalidHostname), fmt.Sprintf("%.256q cannot be a listener's hostname: %v", w.dnsName, err)}
	case w.asked != "" && !covered(w.asked, hostname):
		return found{Broken, reasonWildcardDepth, fmt.Sprintf("a certificate for %s is good for one label before it, so clients will not take it for %s (RFC 9525 section 6.3)", hostname, w.asked)}
	}
	return holds("")
}

// covered reports whether a certificate for the name is good for the hostname,
// which is one that a listener of that name takes: for TLS, "*." stands for one
// label, for the Gateway API for one or more.
func covered(hostname, certificateFor gatewayv1.Hostname) bool {
	if hostname == certificateFor || !strings.HasPrefix(string(certificateFor), "*.") {
		return true
	}
	label := strings.TrimSuffix(string(hostname), string(certificateFor[1:]))
	return !strings.Contains(label, ".")
}

func (w *wish) hostnameIsAllowed() found {
	f := refusable(StepAllowedHostname)(w)
	if f.state == OK && w.view.Closed[w.name.Namespace] {
		return found{Unknown, reasonMissingRight, w.right(namespaceResource, types.NamespacedName{Name: w.name.Namespace}) + ", and it may have an annotation allowed-hostnames"}
	}
	return f
}

// noRival knows of rivals that could not be read only what they hold. A newcomer
// may meet an older one. Of rivals that the planner knows nothing of the Gateway's
// controller tells.
func (w *wish) noRival() found {
	f := refusable(StepNoRival)(w)
	if conflict, said := w.note(plan.ReasonListenerConflicted); said && f.state == OK {
		return found{Broken, string(conflict.Reason), conflict.Message}
	}
	isNew := w.listener != nil && w.change() != nil && w.change().Action == plan.Added && !w.change().Restored
	if f.state == OK && isNew && w.view.From != nil {
		return found{Unknown, reasonMissingRight, w.right(certificateResource, types.NamespacedName{}) + ", and an older one there may want the hostname"}
	}
	return f
}
