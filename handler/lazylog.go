package handler

import (
	"context"
	"log/slog"
)

// lazily adds attributes when a line is written, which for most events none is: to
// encode them costs more than all else that a covered event does.
type lazily struct {
	next       slog.Handler
	attributes func() []slog.Attr
}

// withLazily is [slog.Logger.With] for attributes that are seldom needed.
func withLazily(logger *slog.Logger, attributes func() []slog.Attr) *slog.Logger {
	return slog.New(lazily{logger.Handler(), attributes})
}

func (l lazily) with() slog.Handler { return l.next.WithAttrs(l.attributes()) }

func (l lazily) Enabled(ctx context.Context, level slog.Level) bool {
	return l.next.Enabled(ctx, level)
}

func (l lazily) Handle(ctx context.Context, record slog.Record) error {
	return l.with().Handle(ctx, record)
}

func (l lazily) WithAttrs(attributes []slog.Attr) slog.Handler {
	return l.with().WithAttrs(attributes)
}

func (l lazily) WithGroup(name string) slog.Handler { return l.with().WithGroup(name) }
