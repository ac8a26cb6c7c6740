package telemetry

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

type lossLine struct {
	Msg                   string
	Traces, Metrics, Logs struct {
		Lost  int
		Error string
	}
}

// heard returns losses and a function for the lines that they have told since it
// was last called.
func heard(t *testing.T) (*losses, func() []lossLine) {
	t.Helper()
	var log bytes.Buffer
	return newLosses(slog.New(slog.NewJSONHandler(&log, nil))), func() (lines []lossLine) {
		t.Helper()
		synctest.Wait()
		decoder := json.NewDecoder(&log)
		for {
			var line lossLine
			switch err := decoder.Decode(&line); {
			case errors.Is(err, io.EOF):
				return lines
			case err != nil:
				t.Fatal(err)
			}
			lines = append(lines, line)
		}
	}
}

func TestWhatAllSignalsLoseIsOneLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, lines := heard(t)
		l.add(traces, 3, errors.New("refused"))
		l.add(traces, 4, errors.New("refused again"))
		l.add(logs, 2, errors.New("refused"))
		time.Sleep(lossGather)
		got := lines()
		if len(got) != 1 || got[0].Traces.Lost != 7 || got[0].Traces.Error != "refused again" || got[0].Logs.Lost != 2 || got[0].Metrics.Lost != 0 {
			t.Errorf("lines = %+v, want one with 7 spans and 2 log records", got)
		}
	})
}

func TestACollectorThatStaysAwayIsOneLineAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, lines := heard(t)
		for range 150 { // two and a half minutes
			l.add(traces, 1, errors.New("refused"))
			time.Sleep(time.Second)
		}
		got := lines()
		if len(got) != 3 {
			t.Errorf("%d lines, want 3", len(got))
		}
		l.close()
		sum := 0
		for _, line := range append(got, lines()...) {
			sum += line.Traces.Lost
		}
		if sum != 150 {
			t.Errorf("the lines tell of %d spans, want 150", sum)
		}
	})
}

func TestAfterTheLastLineNothingIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, lines := heard(t)
		l.close()
		l.add(traces, 1, errors.New("too late"))
		time.Sleep(2 * lossPause)
		if got := lines(); len(got) > 0 {
			t.Errorf("lines = %+v, want none", got)
		}
	})
}

func TestALineQuotesOnlySoMuchOfACollectorsAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, lines := heard(t)
		l.add(metrics, 1, errors.New(strings.Repeat("ü", 4<<20)))
		l.close()
		if got := lines(); len(got) != 1 || len(got[0].Metrics.Error) > maxLossError || len(got[0].Metrics.Error) < maxLossError-1 {
			t.Errorf("the line's error has %d bytes, want %d or one less", len(got[0].Metrics.Error), maxLossError)
		}
	})
}
