package handshake

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Stage is one thing that is done on the way.
type Stage struct {
	What string
	// After is how long after the Certificate was created it was done.
	After time.Duration
}

// What the stages are called. The first two have nothing to do with each other:
// the handler does not wait for the issuance unless the Gateway's owner says so.
const (
	Issued     = "issued: cert-manager says Ready, the Secret is there"
	Arrived    = "event at the handler"
	Patched    = "Gateway patched: the listener is there"
	Programmed = "programmed: Traefik says so of the listener"
	Shaken     = "first good handshake"
)

// Table lists stages in the order in which they were reached, a line each.
func Table(stages []Stage) string {
	sorted := slices.Clone(stages)
	slices.SortStableFunc(sorted, func(a, b Stage) int { return int(a.After - b.After) })
	var text strings.Builder
	text.WriteString("     0 ms  Certificate created\n")
	for _, stage := range sorted {
		fmt.Fprintf(&text, "%6d ms  %s\n", stage.After.Milliseconds(), stage.What)
	}
	return text.String()
}
