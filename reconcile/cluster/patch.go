package cluster

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// operation is one step of a JSON Patch (RFC 6902).
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

const (
	opTest    = "test"
	opAdd     = "add"
	opReplace = "replace"
	opRemove  = "remove"

	listenersPath   = "/spec/listeners"
	annotationsPath = "/metadata/annotations"
	labelsPath      = "/metadata/labels"
)

// patchOf returns the steps from the Gateway as it was read to the plan. They
// touch single listeners, so that no byte of a user-owned one passes through
// our types, and begin with tests that hold only for the Gateway that was read.
func patchOf(gateway *gatewayv1.Gateway, p plan.Plan) []operation {
	steps := guard(gateway, p)
	steps = append(steps, listenerSteps(gateway.Spec.Listeners, p.Listeners)...)
	steps = append(steps, entryStep(annotationsPath, plan.LedgerKey, gateway.Annotations, p.Ledger.String())...)
	managed := ""
	if len(p.Ledger) > 0 {
		managed = plan.ManagedValue
	}
	return append(steps, entryStep(labelsPath, plan.ManagedKey, gateway.Labels, managed)...)
}

// guard returns the tests. The generation is left alone by status writes, so
// those never make it fail. It does not tell apart a Gateway from another of
// the same name made later: the UID does. Nor does it rise with annotations,
// so that the ledger is tested too, and where one of the maps is still absent,
// and to be added whole, only the resourceVersion tells that nobody else has
// added it meanwhile.
func guard(gateway *gatewayv1.Gateway, p plan.Plan) []operation {
	steps := []operation{{opTest, "/metadata/uid", gateway.UID}}
	addsMap := len(p.Ledger) > 0 && (len(gateway.Annotations) == 0 || len(gateway.Labels) == 0)
	if addsMap {
		return append(steps, operation{opTest, "/metadata/resourceVersion", gateway.ResourceVersion})
	}
	steps = append(steps, operation{opTest, "/metadata/generation", gateway.Generation})
	if ledger, ok := gateway.Annotations[plan.LedgerKey]; ok {
		steps = append(steps, operation{opTest, annotationsPath + "/" + escape(plan.LedgerKey), ledger})
	}
	return steps
}

// listenerSteps returns replacements by position, then removals from the back,
// so that no removal moves a position still to come, then additions.
func listenerSteps(have, want []gatewayv1.Listener) []operation {
	wanted := make(map[gatewayv1.SectionName]*gatewayv1.Listener, len(want))
	for i := range want {
		wanted[want[i].Name] = &want[i]
	}
	var replace, remove, add []operation
	for i := range have {
		w, stays := wanted[have[i].Name]
		delete(wanted, have[i].Name)
		switch {
		case !stays:
			remove = append([]operation{{opRemove, position(i), nil}}, remove...)
		case !equality.Semantic.DeepEqual(have[i], *w):
			replace = append(replace, operation{opReplace, position(i), w})
		}
	}
	for i := range want {
		if _, isNew := wanted[want[i].Name]; isNew {
			add = append(add, operation{opAdd, listenersPath + "/-", &want[i]})
		}
	}
	return append(append(replace, remove...), add...)
}

// entryStep brings one entry of a string map to value; empty means absent.
func entryStep(path, key string, entries map[string]string, value string) []operation {
	have, ok := entries[key]
	switch {
	case value == "" && !ok, ok && have == value:
		return nil
	case value == "":
		return []operation{{opRemove, path + "/" + escape(key), nil}}
	case len(entries) == 0:
		return []operation{{opAdd, path, map[string]string{key: value}}}
	default:
		return []operation{{opAdd, path + "/" + escape(key), value}}
	}
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// escape writes a key as a token of a JSON Pointer (RFC 6901 section 3).
func escape(key string) string { return pointerEscapes.Replace(key) }
