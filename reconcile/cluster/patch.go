package cluster

import (
	"maps"
	"slices"
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
	steps = append(steps, mapSteps(annotationsPath, gateway.Annotations, p.Annotations)...)
	return append(steps, mapSteps(labelsPath, gateway.Labels, p.Labels)...)
}

// guard returns the tests. The generation is left alone by status writes, so
// those never make it fail. It does not tell apart a Gateway from another of
// the same name made later: the UID does. Nor does it rise with annotations,
// so that those we write are tested too, and where there is nothing to test yet
// only the resourceVersion tells that nobody else has written it meanwhile.
func guard(gateway *gatewayv1.Gateway, p plan.Plan) []operation {
	steps := []operation{{opTest, "/metadata/uid", gateway.UID}}
	if addsMap(gateway.Annotations, p.Annotations) || addsMap(gateway.Labels, p.Labels) || addsShared(gateway, p) {
		return append(steps, operation{opTest, "/metadata/resourceVersion", gateway.ResourceVersion})
	}
	steps = append(steps, operation{opTest, "/metadata/generation", gateway.Generation})
	for _, key := range slices.Sorted(maps.Keys(p.Annotations)) {
		if have, ok := gateway.Annotations[key]; ok {
			steps = append(steps, operation{opTest, annotationsPath + "/" + escape(key), have})
		}
	}
	return steps
}

// addsMap reports whether a map that is absent will be added whole.
func addsMap(have, want map[string]string) bool {
	return len(have) == 0 && slices.ContainsFunc(slices.Collect(maps.Values(want)), func(value string) bool { return value != "" })
}

// addsShared reports whether an annotation is added that users write as well.
// The ledger is no such one: whoever else adds it adds listeners with it.
func addsShared(gateway *gatewayv1.Gateway, p plan.Plan) bool {
	for key, value := range p.Annotations {
		if _, there := gateway.Annotations[key]; !there && value != "" && key != plan.LedgerKey {
			return true
		}
	}
	return false
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

// mapSteps brings entries of a string map to what is wanted; empty means absent.
func mapSteps(path string, have, want map[string]string) []operation {
	if len(have) == 0 {
		added := maps.Clone(want)
		maps.DeleteFunc(added, func(_, value string) bool { return value == "" })
		if len(added) == 0 {
			return nil
		}
		return []operation{{opAdd, path, added}}
	}
	var steps []operation
	for _, key := range slices.Sorted(maps.Keys(want)) {
		value, there := have[key]
		switch {
		case value == want[key]:
		case want[key] == "" && there:
			steps = append(steps, operation{opRemove, path + "/" + escape(key), nil})
		default:
			steps = append(steps, operation{opAdd, path + "/" + escape(key), want[key]})
		}
	}
	return steps
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// escape writes a key as a token of a JSON Pointer (RFC 6901 section 3).
func escape(key string) string { return pointerEscapes.Replace(key) }
