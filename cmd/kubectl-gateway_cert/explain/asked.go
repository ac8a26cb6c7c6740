package explain

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// What the Certificate and the Gateway say of themselves.

func (w *wish) certificateIsThere() found {
	if w.certificate.DeletionTimestamp != nil {
		return found{Broken, reasonNotAsked, "the Certificate is being deleted"}
	}
	return holds("")
}

func (w *wish) label() found {
	label := w.certificate.Labels[plan.GatewayNameKey]
	switch {
	case label == "" && w.certificate.Annotations[plan.GatewayNameKey] != "":
		return found{Broken, reasonAnnotationOnly, fmt.Sprintf("it has an annotation %s and no such label", plan.GatewayNameKey)}
	case label == "":
		return found{Broken, reasonNoLabel, fmt.Sprintf("it has no label %s", plan.GatewayNameKey)}
	case !w.targeted:
		return found{Broken, reasonInvalidLabel, fmt.Sprintf("no Gateway can be called %q", w.target)}
	}
	return holds(fmt.Sprintf("it names Gateway %s", w.target))
}

func (w *wish) gatewayIsThere() found {
	switch {
	case w.view.Hidden[w.target]:
		return found{Unknown, reasonMissingRight, w.right(gatewayResource, w.target)}
	case w.gateway == nil && w.view.Gateways[w.target] != nil:
		return found{Broken, string(plan.ReasonGatewayMissing), fmt.Sprintf("Gateway %s is being deleted", w.target)}
	case w.gateway == nil:
		return found{Broken, string(plan.ReasonGatewayMissing), fmt.Sprintf("there is no Gateway %s", w.target)}
	}
	return holds(fmt.Sprintf("of class %s", w.gateway.Spec.GatewayClassName))
}

// Resources as RBAC spells them, by which missing rights are found.
const (
	gatewayResource     = "gateways.gateway.networking.k8s.io"
	certificateResource = "certificates.cert-manager.io"
	namespaceResource   = "namespaces"
	grantResource       = "referencegrants.gateway.networking.k8s.io"
)

// notPaused minds a pause only where it is in the way.
func (w *wish) notPaused() found {
	if !plan.IsPaused(w.gateway) {
		return holds("")
	}
	f := found{Broken, string(plan.ReasonPaused), fmt.Sprintf("its annotation %s is %.64q, and nothing is written to it", plan.PausedKey, w.gateway.Annotations[plan.PausedKey])}
	if w.listener != nil && w.change() == nil {
		f.state = Warning
		f.detail += "; the listener stands as it should"
	}
	return f
}

// notDryRun minds a dry run only where it is in the way of a listener: what keeps
// one from being planned is told on a link of its own.
func (w *wish) notDryRun() found {
	if !w.plan.DryRun {
		return holds("")
	}
	by := "the handler's settings say so"
	if w.view.Defaults.Mode == "" || w.view.Defaults.Mode == plan.ModeApply {
		by = fmt.Sprintf("its annotation %s is %.64q", plan.ModeKey, w.gateway.Annotations[plan.ModeKey])
	}
	f := found{Warning, string(plan.ReasonDryRun), fmt.Sprintf("it is in a dry run, and nothing is written to it: %s", by)}
	switch {
	case w.listener == nil:
	case w.change() == nil:
		f.detail += "; the listener stands as it should"
	default:
		f.state = Broken
	}
	return f
}

func (w *wish) origin() found {
	if f, ok := w.note(plan.ReasonFromListener); ok {
		return found{Broken, string(f.Reason), f.Message}
	}
	return holds("")
}

// annotations never break the chain by themselves: their strictest reading holds,
// and what that is in the way of is told on its own link.
func (w *wish) annotations() found {
	if _, all := w.refusals(StepAnnotations); len(all) > 0 {
		return found{Warning, string(all[0].Reason), all[0].Message}
	}
	return holds("")
}

// namespaceMayAttach cannot trust the planner where that knows no labels.
func (w *wish) namespaceMayAttach() found {
	if w.view.Closed[w.name.Namespace] && plan.ConsentOf(w.gateway, w.view.Defaults).ByLabels {
		return found{Unknown, reasonMissingRight, w.right(namespaceResource, types.NamespacedName{Name: w.name.Namespace})}
	}
	return refusable(StepNamespace)(w)
}

func (w *wish) secretName() found {
	if f := refusable(StepSecretName)(w); f.state != OK {
		return f
	}
	if f, ok := w.note(plan.ReasonSharedSecret); ok {
		return found{Warning, string(f.Reason), f.Message}
	}
	return holds(w.certificate.Spec.SecretName)
}
