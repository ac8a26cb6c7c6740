package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/truncate"
)

// Fault is one thing that is wrong with a settings file.
type Fault struct {
	// Line and Column count from 1, columns in characters. 0 is unknown.
	Line, Column int
	// Path is spelled as Kubernetes does, such as trust.configMaps[0].name. It is
	// empty where the fault is in the file as a whole.
	Path string
	// Message says what is wrong and what would be right.
	Message string
}

// Faults are all that is wrong with one settings file, in the file's order.
type Faults struct {
	// File is the name that the settings were read under.
	File string
	// List has at least one fault, and at most 100.
	List []Fault
	// Omitted is how many more there are.
	Omitted int
}

// maxFaults keeps a file that is no settings file from filling a log.
const maxFaults = 100

// Bounds on what a line repeats of the file, in bytes.
const (
	maxPathTold    = 256
	maxMessageTold = 1024
)

func newFaults(file string, list []Fault) *Faults {
	slices.SortStableFunc(list, func(a, b Fault) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	list = slices.Compact(list)
	told := min(len(list), maxFaults)
	return &Faults{File: file, List: list[:told], Omitted: len(list) - told}
}

// Error has one line for each fault, FILE:LINE:COLUMN: PATH: MESSAGE, as
// compilers write them. What is unknown is left out.
func (f *Faults) Error() string {
	lines := make([]string, 0, len(f.List)+1)
	for _, fault := range f.List {
		lines = append(lines, f.File+fault.String())
	}
	if f.Omitted > 0 {
		lines = append(lines, fmt.Sprintf("%s: %d more faults", f.File, f.Omitted))
	}
	return strings.Join(lines, "\n")
}

// String is a fault as it stands behind the name of its file.
func (f Fault) String() string {
	var text strings.Builder
	for _, number := range []int{f.Line, f.Column} {
		if number > 0 {
			text.WriteString(":" + strconv.Itoa(number))
		}
	}
	for _, part := range []string{f.Path, f.Message} {
		if part != "" {
			text.WriteString(": " + part)
		}
	}
	return text.String()
}

// oneLine keeps a text of the file from making a line of its own.
func oneLine(text string, limit int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
	return truncate.Text(text, limit)
}
