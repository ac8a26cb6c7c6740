package collector

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Trace is the spans of one trace that have come in, by their start.
type Trace struct {
	ID    string
	Spans []Span
}

func tracesOf(spans []Span) []Trace {
	var order []string
	byID := map[string][]Span{}
	for _, span := range spans {
		if _, known := byID[span.TraceID]; !known {
			order = append(order, span.TraceID)
		}
		byID[span.TraceID] = append(byID[span.TraceID], span)
	}
	traces := make([]Trace, 0, len(order))
	for _, id := range order {
		slices.SortStableFunc(byID[id], func(a, b Span) int { return a.Start.Compare(b.Start) })
		traces = append(traces, Trace{ID: id, Spans: byID[id]})
	}
	return traces
}

// Find returns the first span of that name.
func (t Trace) Find(name string) (Span, bool) {
	for _, span := range t.Spans {
		if span.Name == name {
			return span, true
		}
	}
	return Span{}, false
}

// Roots returns the spans whose parent is not in the trace.
func (t Trace) Roots() []Span {
	known := map[string]bool{}
	for _, span := range t.Spans {
		known[span.ID] = true
	}
	var roots []Span
	for _, span := range t.Spans {
		if !known[span.ParentID] {
			roots = append(roots, span)
		}
	}
	return roots
}

// Parent returns the span right above one, if it is in the trace.
func (t Trace) Parent(child Span) (Span, bool) {
	for _, span := range t.Spans {
		if span.ID == child.ParentID {
			return span, true
		}
	}
	return Span{}, false
}

// Children returns the spans right under one.
func (t Trace) Children(parent Span) []Span {
	var children []Span
	for _, span := range t.Spans {
		if span.ParentID == parent.ID {
			children = append(children, span)
		}
	}
	return children
}

// WriteTree writes the trace as a tree, a line a span with its duration and, of
// its attributes, those asked for.
func (t Trace) WriteTree(w io.Writer, attributes ...string) error {
	if _, err := fmt.Fprintf(w, "trace %s\n", t.ID); err != nil {
		return fmt.Errorf("write a trace: %w", err)
	}
	for _, root := range t.Roots() {
		if err := t.writeSpan(w, root, 1, attributes); err != nil {
			return fmt.Errorf("write a trace: %w", err)
		}
	}
	return nil
}

func (t Trace) writeSpan(w io.Writer, span Span, depth int, attributes []string) error {
	label := strings.Repeat("  ", depth) + span.Name
	var notes []string
	for _, key := range attributes {
		if value := span.Attributes[key]; value != "" && value != "0" {
			notes = append(notes, key[strings.LastIndex(key, ".")+1:]+"="+value)
		}
	}
	if span.Failed {
		notes = append(notes, "FAILED")
	}
	line := fmt.Sprintf("%-34s %8s  %s", label, span.End.Sub(span.Start).Round(10*time.Microsecond), strings.Join(notes, " "))
	if _, err := fmt.Fprintln(w, strings.TrimRight(line, " ")); err != nil {
		return err
	}
	for _, child := range t.Children(span) {
		if err := t.writeSpan(w, child, depth+1, attributes); err != nil {
			return err
		}
	}
	return nil
}
