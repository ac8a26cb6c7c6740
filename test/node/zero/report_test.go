package zero

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// report is the tables that are printed at the end.
type report struct{ text strings.Builder }

// table adds a table in Markdown.
func (r *report) table(title string, header []string, rows [][]string) {
	fmt.Fprintf(&r.text, "\n%s\n\n", title)
	for i, row := range append([][]string{header}, rows...) {
		fmt.Fprintf(&r.text, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			fmt.Fprintf(&r.text, "|%s\n", strings.Repeat("---|", len(header)))
		}
	}
}

// say adds a line below what is there.
func (r *report) say(format string, values ...any) {
	fmt.Fprintf(&r.text, "\n"+format+"\n", values...)
}

func (r *report) String() string { return r.text.String() }

// durations is one thing measured several times.
type durations []time.Duration

// median is the lower one of an even number.
func (d durations) median() time.Duration {
	sorted := slices.Sorted(slices.Values(d))
	return sorted[(len(sorted)-1)/2]
}

// cells are the least, the median and the most, in milliseconds.
func (d durations) cells() []string {
	if len(d) == 0 {
		return []string{"", "", ""}
	}
	return []string{milliseconds(slices.Min(d)), milliseconds(d.median()), milliseconds(slices.Max(d))}
}

func milliseconds(d time.Duration) string {
	return fmt.Sprint(d.Round(time.Millisecond).Milliseconds())
}
