package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"

	"gateway-cert-operator.io/gateway-cert-handler/test/stack"
)

// entry is a line of the handler's log, as far as it is shown.
type entry struct {
	Level, Msg, Type, Object, Gateway, Outcome, ResourceVersion, Reason, Error string

	TraceID           string `json:"trace_id"`
	Cause             string
	Attempts          int
	MetadataRewritten bool
	Shared            bool
	Changes           []struct {
		Action, Listener, Hostname, Certificate string
		Fields                                  []string
	}
	Rejections []struct{ Reason, Certificate, Hostname, Message string }
}

// eventLog shows the handler's log to a person.
type eventLog struct {
	out   *terminal
	stack atomic.Pointer[stack.Stack] // nil until it runs
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
	if s := l.stack.Load(); s != nil && e.Outcome == "Patched" && !e.Shared {
		showTable(context.Background(), s, l.out, e.Gateway)
	}
	return len(line), nil
}

// String tells the event, the plan and the patch, a line each.
func (e entry) String() string {
	var b strings.Builder
	verb := e.Type[strings.LastIndex(e.Type, ".")+1:]
	if e.Cause == "" {
		fmt.Fprintf(&b, "\nevent  %s of %s (trace %s)\n", verb, e.Object, e.TraceID)
	} else {
		fmt.Fprintf(&b, "\nsweep  after the %s (trace %s)\n", e.Cause, e.TraceID)
	}
	if e.Gateway == "" {
		fmt.Fprintf(&b, "       %s %s%s\n", e.Msg, e.Reason, e.Error)
		return b.String()
	}
	if e.Shared {
		fmt.Fprintf(&b, "       %s: %s by the run of another event, which this one came in time for\n", e.Gateway, e.Outcome)
		return b.String()
	}
	for _, c := range e.Changes {
		fmt.Fprintf(&b, "plan   %s: %s %s for %s of Certificate %s %s\n",
			e.Gateway, c.Action, c.Listener, c.Hostname, c.Certificate, strings.Join(c.Fields, ", "))
	}
	for _, r := range e.Rejections {
		fmt.Fprintf(&b, "plan   %s: refused for Certificate %s, %s: %s\n", e.Gateway, cmp.Or(r.Certificate, "-"), r.Reason, r.Message)
	}
	if e.MetadataRewritten {
		fmt.Fprintf(&b, "plan   %s: what it notes of our listeners is written anew\n", e.Gateway)
	}
	switch e.Outcome {
	case "Patched":
		fmt.Fprintf(&b, "patch  %s is now resourceVersion %s, attempts: %d\n", e.Gateway, e.ResourceVersion, e.Attempts)
	case "Covered":
		fmt.Fprintf(&b, "       %s: an earlier run has seen it\n", e.Gateway)
	case "Unchanged":
		fmt.Fprintf(&b, "       %s is as it should be, nothing is written\n", e.Gateway)
	case "GatewayMissing":
		fmt.Fprintf(&b, "       there is no Gateway %s; making it finishes the work\n", e.Gateway)
	default:
		fmt.Fprintf(&b, "       %s: %s %s\n", e.Gateway, e.Outcome, e.Error)
	}
	return b.String()
}
