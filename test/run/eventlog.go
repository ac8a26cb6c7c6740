package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// entry is a line of the handler's log, as far as it is shown.
type entry struct {
	Level, Msg, Type, Object, Gateway, Outcome, ResourceVersion, Reason, Error string

	Attempts int
	Changes  []struct {
		Action, Listener, Hostname, Certificate string
		Fields                                  []string
	}
	Rejections []struct{ Reason, Certificate, Hostname, Message string }
}

// eventLog shows the handler's log to a person.
type eventLog struct {
	out       *terminal
	showTable func(gateway string)
}

// Write takes one line of the log.
func (l *eventLog) Write(line []byte) (int, error) {
	var e entry
	if json.Unmarshal(line, &e) != nil {
		return l.out.Write(line)
	}
	switch {
	case e.Object != "" || e.Gateway != "":
		fmt.Fprint(l.out, e.String())
	case e.Level != "INFO":
		fmt.Fprint(l.out, string(line))
	}
	if e.Outcome == "Patched" && l.showTable != nil {
		l.showTable(e.Gateway)
	}
	return len(line), nil
}

// String tells the event, the plan and the patch, a line each.
func (e entry) String() string {
	var b strings.Builder
	verb := e.Type[strings.LastIndex(e.Type, ".")+1:]
	fmt.Fprintf(&b, "\nevent  %s of %s\n", verb, e.Object)
	if e.Gateway == "" {
		fmt.Fprintf(&b, "       %s %s%s\n", e.Msg, e.Reason, e.Error)
		return b.String()
	}
	for _, c := range e.Changes {
		fmt.Fprintf(&b, "plan   %s: %s %s for %s of Certificate %s %s\n",
			e.Gateway, c.Action, c.Listener, c.Hostname, c.Certificate, strings.Join(c.Fields, ", "))
	}
	for _, r := range e.Rejections {
		fmt.Fprintf(&b, "plan   %s: refused, %s: %s\n", e.Gateway, r.Reason, r.Message)
	}
	switch e.Outcome {
	case "Patched":
		fmt.Fprintf(&b, "patch  %s is now resourceVersion %s, attempts: %d\n", e.Gateway, e.ResourceVersion, e.Attempts)
	case "Unchanged":
		fmt.Fprintf(&b, "       %s is as it should be, nothing is written\n", e.Gateway)
	default:
		fmt.Fprintf(&b, "       %s: %s %s\n", e.Gateway, e.Outcome, e.Error)
	}
	return b.String()
}
