package plan

import (
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// arrangement turns claims into steps.
type arrangement struct {
	gateway *gatewayv1.Gateway
	terms   *terms
	held    *holdings
	claims  []claim // oldest first
	waiting []claim // for a port that can be read
	// conflicts are set apart from the claims.
	conflicts []conflict
}

// arranged is the result, with what was not granted.
type arranged struct {
	steps []step
	lost  []Finding
}

// without arranges all but what the API server refuses, where refused returns
// its words for a step, or "".
//
// What is left out bears on the rest: a listener that must stay as it stands
// holds its place against others, and one that may not come leaves its own to
// them. So each refusal makes for a new arrangement, until there is no more.
func (a arrangement) without(refused func(step) string) arranged {
	left := map[gatewayv1.SectionName]step{}
	for {
		result := a.allBut(left)
		before := len(left)
		for _, s := range result.steps {
			if s.change == nil || s.refusal != "" {
				continue
			}
			if s.refusal = refused(s); s.refusal != "" {
				left[s.name()] = s
			}
		}
		if len(left) == before {
			return result
		}
	}
}

// allBut arranges with the steps that are left out.
func (a arrangement) allBut(left map[gatewayv1.SectionName]step) arranged {
	s := settlement{
		terms: a.terms, held: a.held, userOwned: a.held.userOwned(a.gateway.Spec.Listeners),
		refusedFor: map[types.NamespacedName]int{}, conflicted: map[gatewayv1.PortNumber]conflict{},
	}
	barred := map[gatewayv1.SectionName]bool{}
	for i := range s.userOwned {
		barred[s.userOwned[i].Name] = true
	}
	for _, c := range a.waiting {
		if name, _, ok := a.held.of(c); ok {
			barred[name] = true
		}
	}
	for _, x := range a.conflicts {
		barred[x.name] = true
		s.conflicted[x.port] = x
	}
	excluded := map[wish]bool{}
	for _, name := range slices.Sorted(maps.Keys(left)) {
		out := left[name]
		if out.returns() {
			continue // it keeps its name and its place
		}
		barred[name] = true
		excluded[out.wish()] = true
		if out.isNew() {
			s.refused++
			s.refusedFor[out.change.Certificate]++
		}
		if out.have != nil {
			s.pinned = append(s.pinned, out)
			excluded[a.held.byName[name].wish] = true
		}
	}
	s.settle(slices.DeleteFunc(slices.Clone(a.claims), func(c claim) bool { return excluded[c.wish()] }))
	steps := stepsOf(a.gateway, a.held, nameAll(s.won, a.held, barred))
	left = a.reconsider(left, &s)
	return arranged{steps: leaveOut(steps, left), lost: s.lost}
}

// reconsider looks at what is left out in the light of what the others have got.
// It no longer matters what the API server says to a newcomer whose place is
// taken, nor that it refuses to take off what may stay after all.
func (a arrangement) reconsider(left map[gatewayv1.SectionName]step, s *settlement) map[gatewayv1.SectionName]step {
	left = maps.Clone(left)
	newcomers := map[wish]gatewayv1.SectionName{}
	for name, out := range left {
		if out.isNew() {
			newcomers[out.wish()] = name
		}
	}
	for _, c := range a.claims {
		if name, held, ok := a.held.of(c); ok && left[name].removes() && s.grants(c, held.listener) {
			kept := c.keep(held.listener, a.gateway.Namespace)
			if kept.change != nil {
				kept.refusal = left[name].refusal
			}
			left[name] = kept
			continue
		}
		if name, out := newcomers[c.wish()]; out {
			if why := s.refusal(c); why != nil {
				s.lost = append(s.lost, *why)
				delete(left, name)
			}
		}
	}
	return left
}

// leaveOut puts what is left out in the place of what was arranged under its name.
func leaveOut(steps []step, left map[gatewayv1.SectionName]step) []step {
	rest := maps.Clone(left)
	for i := range steps {
		if out, ok := rest[steps[i].name()]; ok {
			steps[i] = out
			delete(rest, out.name())
		}
	}
	for _, name := range slices.Sorted(maps.Keys(rest)) {
		steps = append(steps, rest[name])
	}
	return steps
}
