package diff

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/screen"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// Page lays the report out as a diff: lines with +, ~ and - for listeners that
// would come, differ and go, and with ! for what is refused. Wide adds what would
// stay, why a change has its impact, and what else there is to know.
func (r Report) Page(wide bool) *screen.Page {
	page := &screen.Page{}
	for _, of := range r.Gateways {
		of.lines(page, wide)
	}
	return page
}

func (of Gateway) lines(page *screen.Page, wide bool) {
	page.Line(screen.Bold, fmt.Sprintf("Gateway %s/%s%s", of.Namespace, of.Name, of.headline()))
	for _, change := range of.Changes {
		change.lines(page, wide)
	}
	if wide {
		for _, listener := range of.Unchanged {
			page.Line(screen.Faint, "    "+string(listener.Name), listener.place(), string(plan.ImpactNone), listener.owner())
		}
	}
	if len(of.Metadata) > 0 && (wide || len(of.Changes) == 0) {
		page.Line(screen.Yellow, "  ~ metadata: "+strings.ReplaceAll(strings.Join(of.Metadata, ", "), plan.KeyPrefix, ""))
	}
	for _, f := range of.Rejections {
		page.Line(screen.Red, "  ! "+sentence(f))
	}
	if wide {
		for _, f := range of.Notes {
			page.Line(screen.Plain, "  i "+sentence(f))
		}
	}
}

func (of Gateway) headline() string {
	text := headlines[of.State]
	if of.State == WouldChange && of.Impact != plan.ImpactNone {
		text = ": " + string(of.Impact)
	}
	if of.DryRun {
		text += " (a dry run: the handler writes nothing)"
	}
	return text
}

var headlines = map[State]string{
	InSync:  ": nothing would change",
	Paused:  ": paused, nothing would change",
	Missing: ": there is none, or it is being deleted",
	Hidden:  ": you may not read it",
}

var marks = map[plan.Action]struct {
	mark   string
	colour screen.Colour
}{
	plan.Added:   {"+", screen.Green},
	plan.Changed: {"~", screen.Yellow},
	plan.Removed: {"-", screen.Red},
}

func (c Change) lines(page *screen.Page, wide bool) {
	m := marks[c.Action]
	cells := []string{"  " + m.mark + " " + string(c.Name), c.place(), string(c.Impact), c.Why}
	if wide {
		cells = append(cells, c.ImpactReason)
	}
	page.Line(m.colour, cells...)
	for _, field := range c.Fields {
		page.Line(m.colour, fmt.Sprintf("      %s: %s -> %s", field.Path, text(field.From), text(field.To)))
	}
}

func (l Listener) place() string {
	hostname := string(l.Hostname)
	if hostname == "" {
		hostname = "*"
	}
	return fmt.Sprintf("%s %s:%d", l.Protocol, hostname, l.Port)
}

func (l Listener) owner() string {
	if l.Certificate == "" {
		return "its owner's"
	}
	return "of Certificate " + l.Certificate
}

func sentence(f plan.Finding) string {
	who := f.Hostname
	if f.Certificate != (types.NamespacedName{}) {
		who = strings.TrimSpace(f.Certificate.String() + " " + f.Hostname)
	}
	return strings.TrimPrefix(fmt.Sprintf("%s: %s: %s", who, f.Reason, f.Message), ": ")
}

// Summary says in a sentence what would happen.
func (r Report) Summary() string {
	listeners := map[plan.Action]int{}
	refused := 0
	for _, of := range r.Gateways {
		for _, change := range of.Changes {
			listeners[change.Action]++
		}
		refused += len(of.Rejections)
	}
	switch {
	case !r.Pending():
		return fmt.Sprintf("Nothing would change; %d refused.", refused)
	case len(listeners) == 0:
		return fmt.Sprintf("No listener would change, only what the handler notes down on the Gateway; %d refused. Nothing was changed.", refused)
	}
	return fmt.Sprintf("%d to add, %d to change, %d to remove; %d refused. Nothing was changed.",
		listeners[plan.Added], listeners[plan.Changed], listeners[plan.Removed], refused)
}
