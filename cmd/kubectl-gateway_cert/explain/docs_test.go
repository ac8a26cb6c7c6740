package explain

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// rows are the table of docs/troubleshooting.md: reasons in the order of the chain.
func rows() []string {
	var all []string
	for _, s := range steps {
		var here []string
		for reason, r := range remedies {
			if r.step == s.step {
				here = append(here, fmt.Sprintf("| `%s` | %s | %s |", reason, r.step, r.text))
			}
		}
		slices.Sort(here)
		all = append(all, here...)
	}
	return all
}

func TestThePageListsEveryReasonWithWhatToDo(t *testing.T) {
	page, err := os.ReadFile("../../../docs/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "\n## What `explain` says\n")
	var got []string
	for line := range strings.SplitSeq(table, "\n") {
		if strings.HasPrefix(line, "| `") {
			got = append(got, line)
		}
	}
	if len(rows()) != len(remedies) {
		t.Error("a reason is of a step that nobody takes")
	}
	if diff := cmp.Diff(rows(), got); diff != "" {
		t.Errorf("rows (-code +docs/troubleshooting.md):\n%s", diff)
	}
}
