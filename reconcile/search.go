package reconcile

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// search finds by dry runs which changes of a refused plan the API server will
// not have. It returns none if it takes them all now, or will not even have the
// Gateway without them.
func (r *Reconciler) search(ctx context.Context, in plan.Input, p plan.Plan) (found verdicts, err error) {
	ctx, step := r.begin(ctx, phaseFindRefused)
	defer func() { step.done(err) }()
	s := &halving{changes: changedNames(p), whose: certificatesOf(p)}
	s.accepts = func(only map[gatewayv1.SectionName]bool) (string, error) { return r.try(ctx, in, only) }
	defer func() { step.SetAttributes(dryRuns.Int(s.tries)) }()
	return s.run()
}

// try asks for some of the plan's changes. Words are the API server's no.
func (r *Reconciler) try(ctx context.Context, in plan.Input, only map[gatewayv1.SectionName]bool) (words string, _ error) {
	in.Only = only
	err := r.cluster.Try(ctx, in.Gateway, plan.For(in))
	var refused *cluster.RefusedError
	if errors.As(err, &refused) {
		return refused.Words(), nil
	}
	return "", err
}

// changedNames are what may be left out: removals first, because what is added
// may need the place that they leave, and each Certificate's together, because
// who has one bad hostname may have many.
func changedNames(p plan.Plan) []gatewayv1.SectionName {
	rank := map[plan.Action]int{plan.Removed: 0, plan.Changed: 1, plan.Added: 2}
	changes := slices.Clone(p.Changes)
	slices.SortStableFunc(changes, func(a, b plan.Change) int {
		return cmp.Or(cmp.Compare(rank[a.Action], rank[b.Action]), strings.Compare(a.Certificate.String(), b.Certificate.String()))
	})
	names := make([]gatewayv1.SectionName, len(changes))
	for i, change := range changes {
		names[i] = change.Listener
	}
	return names
}

// halving finds the changes that are not accepted, asking about half as many at
// a time: of n, k are found by about 2k·log2(n) questions, and k more to ask once
// again for those that may have been refused for want of another.
type halving struct {
	changes []gatewayv1.SectionName
	whose   map[gatewayv1.SectionName]types.NamespacedName
	// accepts asks whether these changes are taken without the others; if not, it
	// returns the words of the refusal, which are not empty.
	accepts func(only map[gatewayv1.SectionName]bool) (words string, _ error)

	tries     int
	began     time.Time
	accepted  map[gatewayv1.SectionName]bool
	refused   map[gatewayv1.SectionName]string
	refusedOf map[types.NamespacedName]int
}

func (h *halving) run() (verdicts, error) {
	h.accepted = map[gatewayv1.SectionName]bool{}
	h.refused = map[gatewayv1.SectionName]string{}
	h.refusedOf = map[types.NamespacedName]int{}
	h.began = time.Now()
	if err := h.among(h.changes); err != nil {
		return verdicts{}, err
	}
	if len(h.accepted) > 0 && !h.over() {
		for _, name := range slices.Sorted(maps.Keys(h.refused)) {
			if h.over() {
				break
			}
			if err := h.ask([]gatewayv1.SectionName{name}); err != nil {
				return verdicts{}, err
			}
		}
	}
	return verdicts{refused: h.refused, accepted: h.accepted, over: h.over()}, nil
}

// among adds to what is accepted as many of the names as it can. It leaves
// undecided those of a Certificate that has been refused often enough, and all
// when too much has been asked.
func (h *halving) among(names []gatewayv1.SectionName) error {
	names = slices.DeleteFunc(slices.Clone(names), func(name gatewayv1.SectionName) bool {
		return h.refusedOf[h.whose[name]] >= plan.MaxRefusedFor
	})
	if len(names) == 0 || h.over() {
		return nil
	}
	if err := h.ask(names); err != nil || h.decided(names[0]) {
		return err
	}
	half := len(names) / 2
	if err := h.among(names[:half]); err != nil {
		return err
	}
	return h.among(names[half:])
}

// ask decides on the names if they are all accepted, or if it is only one.
func (h *halving) ask(names []gatewayv1.SectionName) error {
	h.tries++
	words, err := h.accepts(h.with(names))
	switch {
	case err != nil:
		return err
	case words == "":
		for _, name := range names {
			h.accepted[name] = true
			delete(h.refused, name)
		}
	case len(names) == 1 && h.refused[names[0]] == "":
		h.refused[names[0]] = words
		h.refusedOf[h.whose[names[0]]]++
	}
	return nil
}

// over reports whether enough has been asked. What is found by then is written.
func (h *halving) over() bool {
	return h.tries >= maxDryRuns || time.Since(h.began) > searchTime
}

func (h *halving) decided(name gatewayv1.SectionName) bool {
	return h.accepted[name] || h.refused[name] != ""
}

// with returns what is accepted and these names.
func (h *halving) with(names []gatewayv1.SectionName) map[gatewayv1.SectionName]bool {
	only := maps.Clone(h.accepted)
	for _, name := range names {
		only[name] = true
	}
	return only
}
