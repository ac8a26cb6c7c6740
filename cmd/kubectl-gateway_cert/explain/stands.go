package explain

import (
	"fmt"
	"strings"

	certmanagerv1 "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	cmmeta "github.com/cert-manager/cert-manager/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// What stands on the Gateway, and what others say of it.

func (w *wish) listenerStands() found {
	if w.listener == nil {
		return found{Broken, reasonPending, "the handler's rules give it no listener, and no reason"}
	}
	writer, fought := w.note(plan.ReasonConflictingWriter)
	change := w.change()
	switch {
	case change == nil && fought:
		return found{Warning, string(writer.Reason), writer.Message}
	case change == nil:
		return w.listenerNotes()
	case fought:
		return found{Broken, string(writer.Reason), writer.Message}
	case change.Restored:
		return found{Broken, reasonTakenOff, fmt.Sprintf("somebody has taken listener %s off", change.Listener)}
	case change.Action == plan.Changed:
		return found{Broken, reasonPending, fmt.Sprintf("listener %s differs in %s", change.Listener, strings.Join(change.Fields, ", "))}
	}
	return found{Broken, reasonPending, fmt.Sprintf("listener %s is not on the Gateway yet", change.Listener)}
}

func (w *wish) listenerNotes() found {
	for _, reason := range []plan.Reason{plan.ReasonLedgerCorrected, plan.ReasonCertManagerOverlap} {
		if f, ok := w.note(reason); ok {
			return found{Warning, string(reason), f.Message}
		}
	}
	return holds(fmt.Sprintf("%s on port %d", w.listener.Name, w.listener.Port))
}

func (w *wish) granted() found {
	switch f, missing := w.note(plan.ReasonMissingReferenceGrant); {
	case w.name.Namespace == w.target.Namespace:
		return holds("none is needed: the Secret is in the Gateway's namespace")
	case missing:
		return found{Broken, string(f.Reason), f.Message}
	case w.view.Grants == nil:
		return found{Unknown, reasonMissingRight, w.right(grantResource, types.NamespacedName{Namespace: w.name.Namespace})}
	}
	return holds("")
}

func (w *wish) controllerHasTaken() found { return controllers(w.gateway, w.listener.Name) }

func (w *wish) certificateIsReady() found {
	for _, condition := range w.certificate.Status.Conditions {
		if condition.Type != certmanagerv1.CertificateConditionReady {
			continue
		}
		if condition.Status == cmmeta.ConditionTrue {
			return holds(validUntil(w.certificate))
		}
		return found{Broken, reasonNotReady, strings.TrimSpace(condition.Reason + ": " + condition.Message)}
	}
	return found{Broken, reasonNotReady, "cert-manager has said nothing of it yet"}
}

func validUntil(certificate *certmanagerv1.Certificate) string {
	if certificate.Status.NotAfter == nil {
		return ""
	}
	return "valid until " + certificate.Status.NotAfter.UTC().Format("2006-01-02 15:04 MST")
}
