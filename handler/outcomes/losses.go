package outcomes

import (
	"log/slog"
	"sync"
	"time"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/truncate"
)

// losses tells of events that did not arrive, at most once each lossPause: a sink
// that is away must not fill the log.
type losses struct {
	logger *slog.Logger

	mu     sync.Mutex
	untold int
	why    error // of the last one
	told   time.Time
}

func (l *losses) add(why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.untold++
	l.why = why
	if time.Since(l.told) >= lossPause {
		l.tell()
	}
}

// tellRest tells what has not been told yet.
func (l *losses) tellRest() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.untold > 0 {
		l.tell()
	}
}

func (l *losses) tell() {
	l.logger.Warn("outcomes were not delivered", "count", l.untold, "last", truncate.Text(firstLine(l.why.Error()), maxText))
	l.untold, l.told = 0, time.Now()
}
