package diff

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/view"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// comparison is of a Gateway as it stands and as it is planned.
type comparison struct {
	view    *view.View
	gateway *gatewayv1.Gateway
	plan    plan.Plan
	changed map[gatewayv1.SectionName]bool
}

func (c comparison) change(change plan.Change) Change {
	c.changed[change.Listener] = true
	have, want := named(c.gateway.Spec.Listeners, change.Listener), named(c.plan.Listeners, change.Listener)
	shown := Change{Action: change.Action, Why: c.why(change)}
	shown.Impact, shown.ImpactReason = change.Impact()
	if change.Action == plan.Removed {
		shown.Listener = listenerOf(have, change.Certificate)
		return shown
	}
	shown.Listener = listenerOf(want, change.Certificate)
	for _, path := range change.Fields {
		shown.Fields = append(shown.Fields, Field{path, valueAt(have, path), valueAt(want, path)})
	}
	return shown
}

func named(listeners []gatewayv1.Listener, name gatewayv1.SectionName) *gatewayv1.Listener {
	for i := range listeners {
		if listeners[i].Name == name {
			return &listeners[i]
		}
	}
	return &gatewayv1.Listener{Name: name}
}

// valueAt returns what stands at a path such as "tls.mode", as JSON has it.
func valueAt(listener *gatewayv1.Listener, path string) any {
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(listener)
	if err != nil {
		panic("a listener that came as JSON must marshal: " + err.Error())
	}
	value, _, _ := unstructured.NestedFieldNoCopy(object, strings.Split(path, ".")...)
	return value
}

// text shows a value on one line: bare where it is one word, else as JSON.
func text(value any) string {
	switch value := value.(type) {
	case nil:
		return "none"
	case string:
		return value
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		panic("what came as JSON must marshal: " + err.Error())
	}
	return string(encoded)
}

func (c comparison) why(change plan.Change) string {
	switch {
	case change.Action == plan.Removed:
		return c.whyRemoved(change)
	case change.Action == plan.Changed:
		return fmt.Sprintf("not as Certificate %s asks for it", change.Certificate)
	case change.Restored:
		return fmt.Sprintf("somebody has taken it off; Certificate %s asks for it", change.Certificate)
	}
	return fmt.Sprintf("Certificate %s asks for it", change.Certificate)
}

// whyRemoved asks the planner's refusals before the labels: a Certificate may
// still want what it is not to have.
func (c comparison) whyRemoved(change plan.Change) string {
	certificate, there := c.view.Certificate(change.Certificate)
	switch {
	case !there:
		return fmt.Sprintf("Certificate %s is gone", change.Certificate)
	case certificate.DeletionTimestamp != nil:
		return fmt.Sprintf("Certificate %s is being deleted", change.Certificate)
	}
	onName, onAll := view.About(c.plan.Rejections, change.Certificate, string(change.Hostname))
	for _, f := range slices.Concat(onName, onAll) {
		if f.Reason != plan.ReasonMalformedAnnotation && f.Reason != plan.ReasonInvalidPort { // these take nothing off
			return fmt.Sprintf("%s: %s", f.Reason, f.Message)
		}
	}
	if target, _ := plan.Target(certificate); target != plan.NameOf(c.gateway) {
		return fmt.Sprintf("Certificate %s does not name this Gateway any more", change.Certificate)
	}
	return fmt.Sprintf("Certificate %s does not ask for it any more", change.Certificate)
}
