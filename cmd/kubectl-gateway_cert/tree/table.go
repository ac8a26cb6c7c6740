package tree

import (
	"fmt"
	"strings"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/screen"
)

// Page lays the trees out, one object a line. Wide adds what the controllers say
// of the listeners, and messages.
func (r Report) Page(wide bool) *screen.Page {
	page := &screen.Page{}
	if len(r.Gateways) == 0 {
		return page
	}
	header := []string{"NAMESPACE", "NAME", "STATUS", "DETAIL"}
	if wide {
		header = append(header, "ROUTES", "MORE")
	}
	page.Line(screen.Bold, header...)
	for _, of := range r.Gateways {
		for _, row := range of.node().rows("", "") {
			if !wide {
				row.cells = row.cells[:4]
			}
			page.Line(row.colour, row.cells...)
		}
	}
	return page
}

// node is an object with what hangs on it.
type node struct {
	namespace, name, status, detail, routes, more string
	colour                                        screen.Colour
	below                                         []node
}

type row struct {
	colour screen.Colour
	cells  []string
}

// rows draws the node behind its branch, and what hangs on it behind the stem.
func (n node) rows(branch, stem string) []row {
	rows := []row{{n.colour, []string{n.namespace, branch + n.name, n.status, n.detail, n.routes, n.more}}}
	for i, child := range n.below {
		if i == len(n.below)-1 {
			rows = append(rows, child.rows(stem+"└── ", stem+"    ")...)
		} else {
			rows = append(rows, child.rows(stem+"├── ", stem+"│   ")...)
		}
	}
	return rows
}

// colours of statuses that want to be seen.
var colours = map[string]screen.Colour{
	notProgrammed: screen.Yellow, paused: screen.Yellow, missing: screen.Red, hidden: screen.Yellow,
	notReady: screen.Yellow, gone: screen.Red, string(NotIssued): screen.Yellow, string(IssuedBefore): screen.Yellow,
}

func (of Gateway) node() node {
	n := node{namespace: of.Namespace, name: "Gateway/" + of.Name, status: of.Status, colour: colours[of.Status]}
	if of.Class != "" {
		n.detail = "class " + of.Class
	}
	for _, l := range of.Listeners {
		n.below = append(n.below, l.node(of.Namespace))
	}
	for _, c := range of.Without {
		below := c.node()
		below.detail = strings.TrimSuffix("no listener: "+c.Reason, ": ")
		below.colour = screen.Red
		n.below = append(n.below, below)
	}
	return n
}

// owners as people read them.
var owners = map[Owner]string{Handler: "ours", User: "user-owned"}

func (l Listener) node(namespace string) node {
	hostname := string(l.Hostname)
	if hostname == "" {
		hostname = "*"
	}
	n := node{
		namespace: namespace, name: "Listener/" + string(l.Name), status: owners[l.Owner],
		detail: fmt.Sprintf("%s %s:%d", l.Protocol, hostname, l.Port),
		routes: fmt.Sprint(l.AttachedRoutes), more: strings.Join(l.Conditions, ","),
	}
	if l.Owner == Handler {
		n.colour = screen.Green
	}
	secrets := &n.below
	if l.Certificate != nil {
		n.below = append(n.below, l.Certificate.node())
		secrets = &n.below[0].below
	}
	for _, s := range l.Secrets {
		*secrets = append(*secrets, s.node())
	}
	return n
}

func (c Certificate) node() node {
	return node{namespace: c.Namespace, name: "Certificate/" + c.Name, status: c.Status, detail: c.Reason, more: c.Message, colour: colours[c.Status]}
}

func (s Secret) node() node {
	n := node{namespace: s.Namespace, name: "Secret/" + s.Name, status: string(s.State), colour: colours[string(s.State)]}
	if s.NotAfter != nil {
		n.detail = "valid until " + s.NotAfter.UTC().Format("2006-01-02 15:04 MST")
	}
	return n
}
