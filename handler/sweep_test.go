package handler_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.opentelemetry.io/otel/codes"

	"gateway-cert-operator.io/gateway-cert-handler/handler"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
)

func outcome(name string, verdict reconcile.Verdict) reconcile.Outcome {
	o := reconcile.Outcome{Gateway: edge, Verdict: verdict}
	o.Gateway.Name = name
	if verdict == reconcile.TryAgain || verdict == reconcile.Refused {
		o.Err = errors.New("no")
	}
	return o
}

func TestD05ASweepIsOneLineAndOneMoreForEachGatewayThatWasNotRight(t *testing.T) {
	for name, tc := range map[string]struct {
		outcomes []reconcile.Outcome
		want     []line
	}{
		"of nothing": {nil, []line{{Level: "INFO", Msg: "sweep"}}},
		"with nothing to do": {
			[]reconcile.Outcome{outcome("a", reconcile.Unchanged), outcome("b", reconcile.Covered), outcome("c", reconcile.Paused)},
			[]line{{Level: "INFO", Msg: "sweep", Checked: 3}},
		},
		"with drift": {
			[]reconcile.Outcome{outcome("a", reconcile.Unchanged), outcome("b", reconcile.Patched)},
			[]line{
				{Level: "INFO", Msg: "reconciled", Gateway: "default/b", Outcome: "Patched", Drift: true},
				{Level: "INFO", Msg: "sweep", Checked: 2, Healed: 1},
			},
		},
		"with a dry run": {
			[]reconcile.Outcome{outcome("a", reconcile.DryRun)},
			[]line{
				{Level: "INFO", Msg: "reconciled", Gateway: "default/a", Outcome: "DryRun"},
				{Level: "INFO", Msg: "sweep", Checked: 1},
			},
		},
		"with failures": {
			[]reconcile.Outcome{outcome("a", reconcile.TryAgain), outcome("b", reconcile.Refused), outcome("c", reconcile.GatewayMissing)},
			[]line{
				{Level: "ERROR", Msg: "reconciled", Gateway: "default/a", Outcome: "TryAgain", Error: "no"},
				{Level: "ERROR", Msg: "reconciled", Gateway: "default/b", Outcome: "Refused", Error: "no"},
				{Level: "WARN", Msg: "reconciled", Gateway: "default/c", Outcome: "GatewayMissing"},
				{Level: "WARN", Msg: "sweep", Checked: 3, Failed: 2},
			},
		},
		"whose Events were not written": {
			[]reconcile.Outcome{{Gateway: edge, Verdict: reconcile.Unchanged, ReportErr: errors.New("no")}},
			[]line{
				{Level: "WARN", Msg: "reconciled", Gateway: "default/edge", Outcome: "Unchanged"},
				{Level: "INFO", Msg: "sweep", Checked: 1},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := watched(t, &recorder{outcomes: tc.outcomes})
			send(t, server.Server, ping(t))
			if diff := cmp.Diff(tc.want, server.log.lines(t), cmpopts.IgnoreUnexported(line{})); diff != "" {
				t.Errorf("log (-want +got):\n%s", diff)
			}
		})
	}
}

// A healed Gateway is news only where no event has told of its change.
func TestAnEventFindsNoDrift(t *testing.T) {
	server := watched(t, &recorder{outcomes: []reconcile.Outcome{outcome("a", reconcile.Patched)}})
	send(t, server.Server, fixture(t, "certificate-add"))
	if lines := server.log.lines(t); len(lines) != 1 || lines[0].Drift {
		t.Errorf("the log is %+v, want one line without drift", lines)
	}
}

func TestASweepThatCannotLookIsAskedForAgain(t *testing.T) {
	server := watched(t, &recorder{err: errors.New("list: connection refused")})
	if got := send(t, server.Server, ping(t)).StatusCode; got != http.StatusServiceUnavailable {
		t.Errorf("status = %d, want 503", got)
	}
	if lines := server.log.lines(t); len(lines) != 1 || lines[0].Level != "ERROR" {
		t.Errorf("the log is %+v, want one error", lines)
	}
}

func TestTheSweepAfterTheStartIsAsOneAfterAPingInATraceOfItsOwn(t *testing.T) {
	r := &recorder{outcomes: []reconcile.Outcome{outcome("a", reconcile.Patched)}}
	server := watched(t, r)
	server.handler.Sweep(t.Context(), handler.Start)
	if len(r.changes) != 1 || r.changes[0].Kind != reconcile.Everything {
		t.Errorf("changes = %+v, want one of kind Everything", r.changes)
	}
	want := []line{
		{Level: "INFO", Msg: "reconciled", Gateway: "default/a", Outcome: "Patched", Drift: true, Cause: "start"},
		{Level: "INFO", Msg: "sweep", Checked: 1, Healed: 1, Cause: "start"},
	}
	if diff := cmp.Diff(want, server.log.lines(t), cmpopts.IgnoreUnexported(line{})); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
	spans := server.spans.GetSpans()
	if len(spans) != 1 || spans[0].Name != "sweep after start" || spans[0].Parent.IsValid() || spans[0].Status.Code != codes.Unset {
		t.Errorf("spans are %+v, want one root called sweep after start", spans)
	}
}

func TestTheSweepAfterTheStartThatFailsIsRecordedAndNoMore(t *testing.T) {
	for name, r := range map[string]interface {
		Handle(context.Context, reconcile.Change) ([]reconcile.Outcome, error)
	}{
		"the API server is away": &recorder{err: errors.New("list: connection refused")},
		"a Gateway fails":        &recorder{outcomes: []reconcile.Outcome{outcome("a", reconcile.TryAgain)}},
		"a panic":                &fragile{values: []any{"boom"}},
	} {
		t.Run(name, func(t *testing.T) {
			server := watched(t, r)
			server.handler.Sweep(t.Context(), handler.Start)
			if lines := server.log.lines(t); len(lines) == 0 || lines[0].Level != "ERROR" {
				t.Errorf("the log is %+v, want an error first", lines)
			}
			if spans := server.spans.GetSpans(); len(spans) != 1 || spans[0].Status.Code != codes.Error {
				t.Errorf("spans are %+v, want one that is an error", spans)
			}
		})
	}
}

// What runs would go on in any case, and be reported as failed.
func TestTheSweepAfterTheStartIsBoundedAndOutlivesTheSignal(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	swept := false
	watched(t, handleFunc(func(working context.Context) {
		stop()
		deadline, _ := working.Deadline()
		if left := time.Until(deadline); working.Err() != nil || left <= 10*time.Second || left > 40*time.Second {
			t.Errorf("the sweep has %s and %v, want more than a run's 10 s and at most 40 s", left, working.Err())
		}
		swept = true
	})).handler.Sweep(ctx, handler.Start)
	if !swept {
		t.Error("there was no sweep")
	}
}

func TestAStoppingProcessBeginsNoSweep(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	r := &recorder{}
	watched(t, r).handler.Sweep(ctx, handler.Start)
	if len(r.changes) > 0 {
		t.Errorf("changes = %+v, want none", r.changes)
	}
}
