package plan

import "fmt"

// Mode is whether plans are carried out, or only made and told.
type Mode string

// The modes. The empty one is [ModeApply].
const (
	ModeApply  Mode = "Apply"
	ModeDryRun Mode = "DryRun"
)

// readMode takes the stricter of two words: a Gateway's owner can have a dry run
// made of his Gateway, but cannot end one that was said for all.
func (t *terms) readMode(in Input) {
	if read(t, ModeKey, in.say(ModeKey, string(ModeApply)), parseMode) {
		t.dryRunBy = "its annotation " + ModeKey
	}
	if in.Defaults.Mode != "" && in.Defaults.Mode != ModeApply {
		t.dryRunBy = "the handler's settings"
	}
}

// holdBack makes the plan a dry run, if the terms say so. The note counts and
// names no listener: it is a Kubernetes Event in the namespace of the Gateway's
// owner, and what tenants ask for must not make for ever new ones.
func (p *Plan) holdBack(in Input, t *terms) {
	p.DryRun = t.dryRunBy != ""
	if !p.DryRun || p.Unchanged() {
		return
	}
	p.Notes = append(p.Notes, Finding{
		Reason: ReasonDryRun,
		Message: fmt.Sprintf("this is a dry run, by %s, and nothing is written; else %s. To see it: kubectl gateway-cert plan %s -n %s",
			t.dryRunBy, p.inWords(), in.Gateway.Name, in.Gateway.Namespace),
	})
}

// inWords says what the plan would do.
func (p Plan) inWords() string {
	if len(p.Changes) == 0 {
		return "no listener would change, only what the handler notes down on the Gateway"
	}
	count := map[Action]int{}
	for _, c := range p.Changes {
		count[c.Action]++
	}
	impact, _ := p.Impact()
	return fmt.Sprintf("of our listeners %d would be added, %d changed and %d removed (%s)", count[Added], count[Changed], count[Removed], impact)
}
