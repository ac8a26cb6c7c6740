package outcomes

import (
	"encoding/json"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/truncate"
)

// Data is what an event says of a run, as JSON. docs/outcome.schema.json
// describes it to others and allows nothing else, so that a new field is a new
// version of the schema.
type Data struct {
	Gateway Gateway `json:"gateway"`
	// Verdict is how the run ended: a [reconcile.Verdict].
	Verdict string `json:"verdict"`
	// Attempts counts how often the Gateway was read and planned for; 0 if it did
	// not come to that.
	Attempts int `json:"attempts"`
	// Impact is the worst of the Changes or, in a dry run, of what is Planned.
	Impact string `json:"impact"`
	// Changes are the listeners that were written, Planned those that a dry run
	// would have written, Rejections what was asked for and is not done, Notes what
	// else there is to know. Each is cut to what an event may hold, and then counts
	// what is left out.
	Changes           []Change  `json:"changes,omitempty"`
	ChangesOmitted    int       `json:"changesOmitted,omitempty"`
	Planned           []Change  `json:"planned,omitempty"`
	PlannedOmitted    int       `json:"plannedOmitted,omitempty"`
	Rejections        []Finding `json:"rejections,omitempty"`
	RejectionsOmitted int       `json:"rejectionsOmitted,omitempty"`
	Notes             []Finding `json:"notes,omitempty"`
	NotesOmitted      int       `json:"notesOmitted,omitempty"`
	// Error is why the run failed; empty if it did not.
	Error string `json:"error,omitempty"`
}

// Gateway is the one that the run was for.
type Gateway struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	// ResourceVersion is the Gateway's as the run left it; empty when unknown.
	ResourceVersion string `json:"resourceVersion,omitempty"`
}

// Change is one listener that came, went or differs, or would in a dry run.
type Change struct {
	// Action is Added, Changed or Removed.
	Action   string `json:"action"`
	Listener string `json:"listener"`
	Hostname string `json:"hostname,omitempty"`
	// Certificate is "namespace/name".
	Certificate string `json:"certificate"`
	// Fields are the paths within the listener that differ; set with Changed.
	Fields []string `json:"fields,omitempty"`
	// Restored is set with Added where somebody else had taken the listener off.
	Restored bool `json:"restored,omitempty"`
	// Impact is what that means for who is served, and ImpactReason why in words.
	Impact       string `json:"impact"`
	ImpactReason string `json:"impactReason"`
}

// Finding is one thing that people are to be told.
type Finding struct {
	// Reason is one of docs/contract.md.
	Reason string `json:"reason"`
	// Certificate is "namespace/name"; empty when it is the Gateway's own matter.
	Certificate string `json:"certificate,omitempty"`
	Hostname    string `json:"hostname,omitempty"`
	Listener    string `json:"listener,omitempty"`
	Message     string `json:"message"`
}

// lengths are how many items the lists of an event may have.
type lengths struct{ changes, findings int }

func (l lengths) half() lengths { return lengths{l.changes / 2, l.findings / 2} }

// encoded returns an outcome's data as JSON of at most maxData bytes.
func encoded(o reconcile.Outcome) []byte {
	for most := (lengths{maxChanges, maxFindings}); ; most = most.half() {
		// Texts and numbers are always encoded.
		text, _ := json.Marshal(dataOf(o, most))
		if len(text) <= maxData || most == (lengths{}) {
			return text
		}
	}
}

func dataOf(o reconcile.Outcome, most lengths) Data {
	d := Data{
		Gateway:  Gateway{Namespace: o.Gateway.Namespace, Name: o.Gateway.Name, ResourceVersion: o.ResourceVersion},
		Verdict:  string(o.Verdict),
		Attempts: o.Attempts,
		Impact:   string(o.Impact()),
	}
	if o.Err != nil {
		d.Error = truncate.Text(firstLine(o.Err.Error()), maxText)
	}
	d.addChanges(o, most.changes)
	d.addFindings(o, most.findings)
	return d
}

func (d *Data) addChanges(o reconcile.Outcome, most int) {
	written, omitted := few(o.Written(), most)
	d.ChangesOmitted = omitted
	planned, omitted := few(o.Planned(), most)
	d.PlannedOmitted = omitted
	for i, c := range slices.Concat(written, planned) {
		impact, why := c.Impact()
		one := Change{
			Action: string(c.Action), Listener: truncate.Text(string(c.Listener), maxText), Hostname: truncate.Text(string(c.Hostname), maxText),
			Certificate: nameOf(c.Certificate), Fields: c.Fields, Restored: c.Restored, Impact: string(impact), ImpactReason: why,
		}
		if i < len(written) {
			d.Changes = append(d.Changes, one)
		} else {
			d.Planned = append(d.Planned, one)
		}
	}
}

func (d *Data) addFindings(o reconcile.Outcome, most int) {
	all, rejected := o.Findings(), len(o.Plan.Rejections) // rejections first
	rejections, omitted := few(all[:rejected], most)
	d.RejectionsOmitted = omitted
	notes, omitted := few(all[rejected:], most)
	d.NotesOmitted = omitted
	for i, f := range slices.Concat(rejections, notes) {
		one := Finding{
			Reason: string(f.Reason), Certificate: nameOf(f.Certificate), Hostname: truncate.Text(f.Hostname, maxText),
			Listener: truncate.Text(string(f.Listener), maxText), Message: truncate.Text(f.Message, maxText),
		}
		if i < len(rejections) {
			d.Rejections = append(d.Rejections, one)
		} else {
			d.Notes = append(d.Notes, one)
		}
	}
}

// few returns the first items, and how many there are beyond them.
func few[T any](all []T, most int) ([]T, int) {
	omitted := max(0, len(all)-most)
	return all[:len(all)-omitted], omitted
}

func nameOf(name types.NamespacedName) string {
	if name == (types.NamespacedName{}) {
		return ""
	}
	return name.String()
}
