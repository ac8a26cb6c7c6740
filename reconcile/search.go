package reconcile

import (
	"context"
	"errors"
	"maps"
	"slices"

	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// search finds by dry runs which changes of a refused plan the API server will
// not have. It returns none if it takes them all now, or will not even have the
// Gateway without them.
func (r *Reconciler) search(ctx context.Context, in plan.Input, p plan.Plan) (refused map[gatewayv1.SectionName]string, err error) {
	ctx, span := r.tracer.Start(ctx, "find refused")
	defer func() { end(span, err) }()
	s := &halving{changes: changedNames(p)}
	s.accepts = func(without map[gatewayv1.SectionName]string) (string, error) {
		s.tries++
		return r.try(ctx, in, without)
	}
	defer func() { span.SetAttributes(dryRuns.Int(s.tries)) }()
	return s.run()
}

// try asks for the plan without some changes. Words are the API server's no.
func (r *Reconciler) try(ctx context.Context, in plan.Input, without map[gatewayv1.SectionName]string) (words string, _ error) {
	in.Refused = maps.Clone(in.Refused)
	maps.Copy(in.Refused, without)
	err := r.cluster.Try(ctx, in.Gateway, plan.For(in))
	var refused *cluster.RefusedError
	if errors.As(err, &refused) {
		return refused.Words(), nil
	}
	return "", err
}

// changedNames are what may be left out: removals first, because what is added
// may need the place that they leave.
func changedNames(p plan.Plan) []gatewayv1.SectionName {
	var names []gatewayv1.SectionName
	for _, action := range []plan.Action{plan.Removed, plan.Changed, plan.Added} {
		for _, change := range p.Changes {
			if change.Action == action {
				names = append(names, change.Listener)
			}
		}
	}
	return names
}

// halving finds the changes that are not accepted, asking about half as many at
// a time: of n, k are found by about 2k·log2(n) questions.
type halving struct {
	changes []gatewayv1.SectionName
	// accepts asks whether the changes are taken if some are left out; if not,
	// it returns the words of the refusal, which are not empty.
	accepts func(without map[gatewayv1.SectionName]string) (words string, _ error)

	tries    int
	accepted map[gatewayv1.SectionName]bool
	refused  map[gatewayv1.SectionName]string
}

func (h *halving) run() (map[gatewayv1.SectionName]string, error) {
	h.accepted = map[gatewayv1.SectionName]bool{}
	h.refused = map[gatewayv1.SectionName]string{}
	if err := h.among(h.changes); err != nil {
		return nil, err
	}
	if len(h.accepted) == 0 {
		return h.refused, nil
	}
	// One may have been refused for want of another that was asked for later.
	for _, name := range slices.Sorted(maps.Keys(h.refused)) {
		if err := h.among([]gatewayv1.SectionName{name}); err != nil {
			return nil, err
		}
	}
	return h.refused, nil
}

// among adds to what is accepted as many of the names as it can.
func (h *halving) among(names []gatewayv1.SectionName) error {
	if len(names) == 0 {
		return nil
	}
	words, err := h.accepts(h.allBut(names))
	switch {
	case err != nil:
		return err
	case words == "":
		for _, name := range names {
			h.accepted[name] = true
			delete(h.refused, name)
		}
		return nil
	case len(names) == 1:
		h.refused[names[0]] = words
		return nil
	}
	half := len(names) / 2
	if err := h.among(names[:half]); err != nil {
		return err
	}
	return h.among(names[half:])
}

// allBut returns the changes to leave out so that what is accepted and these
// names remain.
func (h *halving) allBut(names []gatewayv1.SectionName) map[gatewayv1.SectionName]string {
	without := map[gatewayv1.SectionName]string{}
	for _, name := range h.changes {
		if !h.accepted[name] && !slices.Contains(names, name) {
			without[name] = "not asked for"
		}
	}
	return without
}
