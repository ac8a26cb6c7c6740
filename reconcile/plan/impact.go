package plan

import (
	"fmt"
	"slices"
	"strings"
)

// Impact is what changes mean for who is served by a Gateway as it stands. A
// listener that stands counts as one that serves: a status lags behind, and says
// nothing of clients.
type Impact string

// The impacts.
const (
	// ImpactNone: no listener changes.
	ImpactNone Impact = "None"
	// ImpactAdditive: listeners come, and none that stands is touched.
	ImpactAdditive Impact = "Additive"
	// ImpactChanging: a listener differs, and serves on under its name, with its
	// hostname, port and protocol.
	ImpactChanging Impact = "Changing"
	// ImpactDisruptive: a listener goes, or gets another hostname, port or
	// protocol. What it serves now it serves no more.
	ImpactDisruptive Impact = "Disruptive"
)

// severity orders the impacts, the worst last.
var severity = []Impact{ImpactNone, ImpactAdditive, ImpactChanging, ImpactDisruptive}

// movingFields are where requests arrive at a listener.
var movingFields = []string{"hostname", "port", "protocol"}

// Impact returns what the change means, and why in words.
func (c Change) Impact() (Impact, string) {
	switch {
	case c.Action == Removed:
		return ImpactDisruptive, "it goes, and what it serves now ends"
	case c.Action == Added && c.Restored:
		return ImpactAdditive, "it is put back"
	case c.Action == Added:
		return ImpactAdditive, "it is new"
	}
	moved := slices.DeleteFunc(slices.Clone(c.Fields), func(path string) bool { return !slices.Contains(movingFields, path) })
	if len(moved) > 0 {
		return ImpactDisruptive, fmt.Sprintf("it gets another %s, and what it serves now ends", strings.Join(moved, ", "))
	}
	return ImpactChanging, fmt.Sprintf("it serves on, with another %s", strings.Join(c.Fields, ", "))
}

// maxImpactsTold bounds the listeners that a reason for many names.
const maxImpactsTold = 3

// ImpactOf returns the worst impact of the changes, and why in words: which of
// them have it, the first few by name.
func ImpactOf(changes []Change) (Impact, string) {
	worst := ImpactNone
	var why []string
	for _, c := range changes {
		impact, reason := c.Impact()
		switch order := slices.Index(severity, impact) - slices.Index(severity, worst); {
		case order > 0:
			worst, why = impact, nil
		case order < 0:
			continue
		}
		why = append(why, fmt.Sprintf("%s: %s", c.Listener, reason))
	}
	switch more := len(why) - maxImpactsTold; {
	case len(why) == 0:
		return worst, "no listener changes"
	case more > 0:
		why = append(why[:maxImpactsTold], fmt.Sprintf("and %d more", more))
	}
	return worst, strings.Join(why, "; ")
}

// Impact is that of all changes of the plan.
func (p Plan) Impact() (Impact, string) { return ImpactOf(p.Changes) }

// written is what a Gateway's owner is told of changes, by the worst of them. It
// counts and names nobody: an Event for each listener of each tenant would fill his
// namespace, and one that is counted up keeps its first words.
var written = map[Impact]Finding{
	ImpactAdditive: {Reason: ReasonListenersAdded,
		Message: "listeners of ours came, and no other was touched; the handler's log says which"},
	ImpactChanging: {Reason: ReasonListenersChanged,
		Message: "listeners of ours changed, but not in hostname, port or protocol; the handler's log says which"},
	ImpactDisruptive: {Reason: ReasonListenersDisrupted,
		Message: "listeners of ours went, or got another hostname, port or protocol, and what they served ended; the handler's log says which"},
}

// Told returns what a Gateway's owner is to be told of changes that were written;
// ok is false if there are none.
func Told(changes []Change) (f Finding, ok bool) {
	worst, _ := ImpactOf(changes)
	f, ok = written[worst]
	return f, ok
}
