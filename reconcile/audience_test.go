package reconcile

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// cell spells an audience as docs/contract.md does.
func (a audience) cell() string {
	var who string
	switch {
	case a == audience{}:
		return "none"
	case a.whoseItIs:
		who = "whose it is"
	case a.certificate && a.gateway:
		who = "Certificate and Gateway"
	case a.gateway:
		who = "Gateway"
	default:
		who = "Certificate"
	}
	who += ", " + a.eventType
	if a.onWrite {
		who += "*"
	}
	if a.once {
		who += "†"
	}
	return who
}

func TestTheContractSaysWhoIsToldOfEachReason(t *testing.T) {
	page, err := os.ReadFile("../docs/contract.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "## Reasons")
	said, want := map[plan.Reason]string{}, map[plan.Reason]string{}
	for line := range strings.SplitSeq(table, "\n") {
		cells := strings.Split(strings.Trim(line, "| "), " | ")
		if len(cells) != 3 || !strings.HasPrefix(cells[0], "`") {
			continue
		}
		reason := plan.Reason(strings.Trim(cells[0], "`"))
		said[reason], want[reason] = cells[2], audiences[reason].cell()
	}
	for reason := range audiences {
		want[reason] = audiences[reason].cell()
	}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("who is told (-code +docs/contract.md):\n%s", diff)
	}
}
