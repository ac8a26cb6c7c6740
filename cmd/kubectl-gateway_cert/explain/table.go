package explain

import (
	"fmt"
	"reflect"
	"strings"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/screen"
)

// Page lays the report out as checklists, with the first link that does not hold
// marked and what mends it below. Wide shows the links of chains that hold too,
// and what the controllers say.
func (r Report) Page(wide bool) *screen.Page {
	page := &screen.Page{}
	if len(r.Chains) == 0 {
		page.Line(screen.Bold, fmt.Sprintf("No Certificate that could be read asks for %s.", r.Question))
	}
	if len(r.Chains)+len(r.Listeners) == 0 {
		page.Line(screen.Plain, "No Gateway that could be read has a listener with TLS for it either.")
	}
	for i, same := range alike(r.Chains) {
		if i > 0 {
			page.Line(screen.Plain)
		}
		c := same[0]
		page.Line(screen.Bold, headline(same))
		if c.Holds() && !wide {
			c.warnings(page)
		} else {
			c.checklist(page)
		}
	}
	if len(r.Listeners) > 0 {
		page.Line(screen.Plain)
		page.Line(screen.Bold, fmt.Sprintf("Listeners that take %s:", r.Question))
		r.listeners(page, wide)
	}
	return page
}

// alike puts chains together that differ in nothing but the hostname.
func alike(chains []Chain) [][]Chain {
	var groups [][]Chain
	for _, c := range chains {
		last := len(groups) - 1
		if last >= 0 && isAlike(groups[last][0], c) {
			groups[last] = append(groups[last], c)
			continue
		}
		groups = append(groups, []Chain{c})
	}
	return groups
}

func isAlike(a, b Chain) bool {
	return a.Certificate == b.Certificate && a.Gateway == b.Gateway && reflect.DeepEqual(a.Links, b.Links)
}

// maxHostnames is how many hostnames a headline names.
const maxHostnames = 3

func headline(same []Chain) string {
	c := same[0]
	var names []string
	for i, other := range same {
		if other.Hostname == "" {
			continue
		}
		if i == maxHostnames {
			names = append(names, fmt.Sprintf("%d more", len(same)-i))
			break
		}
		names = append(names, other.Hostname)
	}
	text := "Certificate " + c.Certificate
	if len(names) > 0 {
		text += ", " + strings.Join(names, ", ")
	}
	if c.Gateway != "" {
		text += ", Gateway " + c.Gateway
	}
	if c.Holds() {
		text += ": each link holds"
	}
	return text
}

// shown are the states as people read them.
var shown = map[State]struct {
	word   string
	colour screen.Colour
}{
	OK:         {"ok", screen.Green},
	Warning:    {"ok, but", screen.Yellow},
	Broken:     {"BROKEN", screen.Red},
	Unknown:    {"unknown", screen.Yellow},
	NotReached: {"-", screen.Faint},
}

func (c Chain) checklist(page *screen.Page) {
	marked := c.FirstBroken
	if marked == "" {
		marked = c.FirstUnknown
	}
	page.Line(screen.Plain, "  ", "LINK", "STATE", "DETAIL")
	for _, link := range c.Links {
		mark := "  "
		if link.Step == marked {
			mark = "=>"
		}
		page.Line(shown[link.State].colour, mark, string(link.Step), shown[link.State].word, link.words())
	}
	for _, link := range c.Links {
		if link.Step == marked || link.Step == c.FirstUnknown {
			page.Line(screen.Bold, fmt.Sprintf("What to do about %s: %s", link.Step, link.Remedy))
		}
	}
}

func (c Chain) warnings(page *screen.Page) {
	for _, link := range c.Links {
		if link.State == Warning {
			page.Line(shown[Warning].colour, "  ", string(link.Step), shown[Warning].word, link.words())
		}
	}
}

func (l Link) words() string {
	if l.Reason == "" || l.Detail == "" {
		return l.Reason + l.Detail
	}
	return l.Reason + ": " + l.Detail
}

func (r Report) listeners(page *screen.Page, wide bool) {
	header := []string{"  ", "GATEWAY", "LISTENER", "HOSTNAME", "PORT", "OF", "STATE", "CONTROLLER"}
	if wide {
		header = append(header, "DETAIL")
	}
	page.Line(screen.Plain, header...)
	for _, s := range r.Listeners {
		hostname, of := string(s.Hostname), s.Certificate
		if hostname == "" {
			hostname = "*"
		}
		if of == "" {
			of = "its owner"
		}
		row := []string{"  ", s.Gateway, string(s.Listener), hostname, fmt.Sprint(s.Port), of, servingWords[s.State], shown[s.Controller].word}
		if wide {
			row = append(row, s.Detail)
		}
		page.Line(shown[s.Controller].colour, row...)
	}
}

var servingWords = map[ServingState]string{Serves: "serves", Shadowed: "shadowed"}
