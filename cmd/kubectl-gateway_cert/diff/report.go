package diff

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/view"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// Report is what would change, Gateway by Gateway.
type Report struct {
	Gateways []Gateway `json:"gateways"`
	// MissingRights are why not all could be told.
	MissingRights []view.Gap `json:"missingRights,omitempty"`
}

// Gateway is one Gateway's part.
type Gateway struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	State     State  `json:"state"`
	// DryRun is set where the handler would write none of it.
	DryRun bool `json:"dryRun,omitempty"`
	// Impact is the worst of the Changes, and ImpactReason names those that have it.
	// Both are empty where there is no plan.
	Impact       plan.Impact `json:"impact,omitempty"`
	ImpactReason string      `json:"impactReason,omitempty"`
	// Changes are the listeners that would come, go or differ, by name.
	Changes []Change `json:"changes,omitempty"`
	// Unchanged are the listeners that would stay as they stand, as the Gateway
	// has them.
	Unchanged []Listener `json:"unchanged,omitempty"`
	// Metadata are the annotations and labels that would be written, by key.
	Metadata []string `json:"metadata,omitempty"`
	// Rejections and Notes are the planner's.
	Rejections []plan.Finding `json:"rejections,omitempty"`
	Notes      []plan.Finding `json:"notes,omitempty"`
}

// State is what the whole Gateway is to the handler.
type State string

// The states.
const (
	// InSync: the handler would change nothing.
	InSync State = "InSync"
	// WouldChange: it would, or in a dry run would if that were none.
	WouldChange State = "WouldChange"
	// Paused: it would change nothing, because the Gateway's owner says so.
	Paused State = "Paused"
	// Missing: there is no such Gateway, or it is being deleted.
	Missing State = "Missing"
	// Hidden: a right is missing to tell.
	Hidden State = "Hidden"
)

// Change is a listener that would not stay as it is.
type Change struct {
	Action plan.Action `json:"action"`
	Listener
	// Why says it to a person.
	Why string `json:"why"`
	// Impact is what it means for who is served, and ImpactReason says it to a person.
	Impact       plan.Impact `json:"impact"`
	ImpactReason string      `json:"impactReason"`
	// Fields are those that differ; only with [plan.Changed].
	Fields []Field `json:"fields,omitempty"`
}

// Listener is one of a Gateway's.
type Listener struct {
	Name     gatewayv1.SectionName `json:"listener"`
	Hostname gatewayv1.Hostname    `json:"hostname,omitempty"`
	Port     gatewayv1.PortNumber  `json:"port"`
	Protocol string                `json:"protocol"`
	// Certificate is the one that it came from, as "namespace/name"; empty where
	// the listener is the Gateway owner's.
	Certificate string `json:"certificate,omitempty"`
}

// Field is a part of a listener before and after.
type Field struct {
	Path string `json:"path"`
	From any    `json:"from"`
	To   any    `json:"to"`
}

// Pending reports whether anything would change, or would if a dry run were none.
func (r Report) Pending() bool {
	return slices.ContainsFunc(r.Gateways, func(of Gateway) bool { return of.State == WouldChange })
}

// Of plans for each of the Gateways.
func Of(v *view.View, names []types.NamespacedName) Report {
	r := Report{Gateways: []Gateway{}, MissingRights: v.Gaps}
	for _, name := range names {
		r.Gateways = append(r.Gateways, gatewayOf(v, name))
	}
	return r
}
