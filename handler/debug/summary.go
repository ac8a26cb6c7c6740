package debug

import (
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// summary counts what a plan holds, without a word on whose it is.
type summary struct {
	Changes    map[plan.Action]int `json:"changes,omitempty"`
	Rejections map[plan.Reason]int `json:"rejections,omitempty"`
	Notes      map[plan.Reason]int `json:"notes,omitempty"`
}

func summarise(changes []plan.Change, rejections, notes []plan.Finding) summary {
	s := summary{map[plan.Action]int{}, map[plan.Reason]int{}, map[plan.Reason]int{}}
	for _, c := range changes {
		s.Changes[c.Action]++
	}
	for _, f := range rejections {
		s.Rejections[f.Reason]++
	}
	for _, f := range notes {
		s.Notes[f.Reason]++
	}
	return s
}

// part is what of a plan concerns the Certificates of one namespace.
type part struct {
	Changes    []plan.Change  `json:"changes"`
	Rejections []plan.Finding `json:"rejections"`
	Notes      []plan.Finding `json:"notes"`
}

func partOf(p plan.Plan, namespace string) part {
	own := part{[]plan.Change{}, []plan.Finding{}, []plan.Finding{}}
	for _, c := range p.Changes {
		if c.Certificate.Namespace == namespace {
			own.Changes = append(own.Changes, c)
		}
	}
	findings := func(all []plan.Finding) []plan.Finding {
		kept := []plan.Finding{}
		for _, f := range all {
			if f.Certificate.Namespace == namespace {
				kept = append(kept, f)
			}
		}
		return kept
	}
	own.Rejections, own.Notes = findings(p.Rejections), findings(p.Notes)
	return own
}
