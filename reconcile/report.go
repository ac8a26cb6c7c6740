package reconcile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// eventAction is what an Event says was being done.
const eventAction = "Reconcile"

// report tells people what the run has found, by Events. An error says that some
// may not know; it bears on nothing else.
func (r *Reconciler) report(ctx context.Context, o Outcome, changes []Change) (err error) {
	if !bySweep(o, changes) {
		o = withoutEarly(o)
	}
	o, over := r.quoted.fresh(o)
	r.told.forget(over)
	events := r.told.due(eventsOf(o), changes)
	if len(events) == 0 {
		return nil
	}
	ctx, step := r.begin(ctx, phaseReport, eventsWritten.Int(len(events)))
	defer func() { step.done(err) }()
	ctx, cancel := context.WithTimeout(ctx, reportDeadline)
	defer cancel()

	errs := make([]error, len(events))
	var group errgroup.Group
	group.SetLimit(maxParallelReports)
	for i, event := range events {
		group.Go(func() error {
			if errs[i] = r.cluster.Record(ctx, event); errs[i] == nil {
				r.told.tell(event)
				r.quoted.tell(event, o)
			}
			return nil
		})
	}
	_ = group.Wait() // one failure says nothing about the others
	return errors.Join(errs...)
}

// bySweep reports whether a sweep has had a part in what was found.
func bySweep(o Outcome, changes []Change) bool {
	return o.swept || slices.ContainsFunc(changes, func(change Change) bool { return change.Kind == Everything })
}

// withoutEarly leaves out of an outcome what a Gateway's controller has had no time
// to take back. A sweep tells of it, if it still stands then: there may be nothing
// else to look again for.
func withoutEarly(o Outcome) Outcome {
	o.Plan.Notes = slices.DeleteFunc(slices.Clone(o.Plan.Notes), func(f plan.Finding) bool { return f.Early })
	return o
}

// eventsOf returns one Event for each object and reason.
func eventsOf(o Outcome) []cluster.Event {
	type heading struct {
		object types.UID
		reason plan.Reason
	}
	events := map[heading]*cluster.Event{}
	findings := map[heading][]plan.Finding{}
	add := func(about, related *corev1.ObjectReference, f plan.Finding) {
		k := heading{about.UID, f.Reason}
		events[k] = &cluster.Event{
			Regarding: *about, Related: related,
			Type: audiences[f.Reason].eventType, Reason: string(f.Reason), Action: eventAction,
		}
		findings[k] = append(findings[k], f)
	}
	told := o.Findings()
	if f, ok := plan.Told(o.Written()); ok { // logs and spans have the impact
		told = append(told, f)
	}
	for _, f := range told {
		to := audiences[f.Reason]
		if to.onWrite && o.Verdict != Patched {
			continue
		}
		if certificate, ok := o.seen.certificates[f.Certificate]; ok && to.certificate {
			add(&certificate, o.seen.gateway, f)
		}
		ownMatter := to.whoseItIs && f.Certificate != (types.NamespacedName{})
		if o.seen.gateway != nil && to.gateway && !ownMatter {
			add(o.seen.gateway, nil, f)
		}
	}
	var all []cluster.Event
	for k, event := range events {
		aboutGateway := event.Regarding.Kind == string(Gateway)
		event.Note, event.Key = note(findings[k], aboutGateway), key(findings[k], aboutGateway)
		all = append(all, *event)
	}
	slices.SortFunc(all, func(a, b cluster.Event) int {
		return cmp.Or(cmp.Compare(a.Regarding.Kind, b.Regarding.Kind), cmp.Compare(a.Regarding.Namespace, b.Regarding.Namespace),
			cmp.Compare(a.Regarding.Name, b.Regarding.Name), cmp.Compare(a.Reason, b.Reason))
	})
	return all
}

// note joins the messages of findings. Those that differ only in the hostname
// are said once, with all the hostnames, so that none of many is cut off early.
func note(findings []plan.Finding, naming bool) string {
	about := map[string][]string{}
	var messages []string
	for _, f := range findings {
		who := f.Hostname
		if naming && f.Certificate != (types.NamespacedName{}) {
			who = strings.TrimSpace(f.Certificate.String() + " " + f.Hostname)
		}
		if _, said := about[f.Message]; !said {
			messages = append(messages, f.Message)
		}
		about[f.Message] = append(about[f.Message], who)
	}
	parts := make([]string, 0, len(messages))
	for _, message := range messages {
		if who := about[message]; len(who) > 1 || !strings.Contains(message, who[0]) {
			message = fmt.Sprintf("%s: %s", strings.Join(who, ", "), message)
		}
		parts = append(parts, message)
	}
	return strings.Join(parts, "; ")
}

// key joins what tells the findings from others of their reason; empty where the
// note does. What Certificates give cause for is one Event about the Gateway,
// whatever they ask for next: a tenant must not fill its owner's namespace.
func key(findings []plan.Finding, aboutGateway bool) string {
	var keys []string
	keyed := false
	for _, f := range findings {
		if aboutGateway && f.Certificate != (types.NamespacedName{}) {
			return "Certificates"
		}
		keys = append(keys, cmp.Or(f.Key, f.Message))
		keyed = keyed || f.Key != ""
	}
	if !keyed {
		return ""
	}
	slices.Sort(keys)
	return strings.Join(keys, "; ")
}
