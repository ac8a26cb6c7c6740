package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"k8s.io/cli-runtime/pkg/printers"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/screen"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// words are the states as people read them.
var words = map[string]string{
	stateToLabel:           "label to set",
	stateLabelled:          "label set",
	stateUnusable:          "cannot be labelled",
	string(plan.TakenOver): "taken over by the handler",
	string(plan.Kept):      "kept",
	string(plan.UserOwned): "kept: not the operator's",
	string(plan.Stale):     "stale: to be removed",
	stateStays:             "stale: stays",
	stateRemoved:           "stale: removed",
}

func (r *report) print(out io.Writer, format screen.Format, withNamespace bool) error {
	if format != screen.Table {
		return screen.Encode(out, r, format)
	}
	return r.printTable(out, withNamespace)
}

// printTable prints nothing where there is nothing to say, as kubectl does.
func (r *report) printTable(out io.Writer, withNamespace bool) error {
	rows := [][]string{{"NAMESPACE", "GATEWAY", "KIND", "NAME", "STATE", "DETAIL"}}
	for _, of := range r.Gateways {
		for _, row := range of.rows() {
			rows = append(rows, append([]string{of.Namespace, of.Name}, row...))
		}
	}
	if len(rows) == 1 {
		return nil
	}
	table := printers.GetNewTabWriter(out)
	for _, row := range rows {
		if !withNamespace {
			row = row[1:]
		}
		fmt.Fprintln(table, strings.Join(row, "\t"))
	}
	return table.Flush()
}

func (of *gatewayReport) rows() [][]string {
	var rows [][]string
	if of.Missing {
		rows = append(rows, []string{"Gateway", of.Name, "does not exist", noDetail})
	}
	for _, c := range of.Certificates {
		rows = append(rows, []string{"Certificate", c.Namespace + "/" + c.Name, words[c.State], cmp.Or(c.Detail, labelsText(c.Labels))})
	}
	for _, l := range of.Listeners {
		detail := l.Detail
		if l.Certificate != "" {
			detail = strings.TrimSuffix("Certificate "+l.Certificate+": "+detail, ": ")
		}
		rows = append(rows, []string{"Listener", string(l.Name), words[l.State], cmp.Or(detail, noDetail)})
	}
	return rows
}

// noDetail is how kubectl prints an empty cell.
const noDetail = "<none>"

// labelsText leaves out the prefix that all our keys share.
func labelsText(labels map[string]string) string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		parts = append(parts, strings.TrimPrefix(key, plan.KeyPrefix)+"="+labels[key])
	}
	return strings.Join(parts, ",")
}

// summarize says in a sentence what was done or is to be done.
func (r *report) summarize(out io.Writer) {
	labels, listeners := r.certificates(stateToLabel), r.listeners(string(plan.Stale))
	if r.Applied {
		labels, listeners = r.certificates(stateLabelled), r.listeners(stateRemoved)
	}
	switch {
	case labels+listeners > 0 && r.Applied:
		fmt.Fprintf(out, "%s labelled, %s removed.\n", counted(labels, "Certificate"), counted(listeners, "stale listener"))
	case labels+listeners > 0:
		fmt.Fprintf(out, "%s to label, %s to remove. Nothing was changed; add --apply to do it.\n", counted(labels, "Certificate"), counted(listeners, "stale listener"))
	case r.pending() == 0:
		fmt.Fprintln(out, "There is nothing to do.")
	}
}

func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}
