package handler

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"

	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/truncate"
)

// panicError is what a panic was about. Sending the event again may help: what
// it met may have been a rare meeting of two.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// guard makes an error of a panic, so that one event ends neither the process
// nor, without an answer, its request. [http.ErrAbortHandler] asks for the
// latter.
func guard(f func() error) (err error) {
	defer func() {
		switch p := recover(); p {
		case nil:
		case http.ErrAbortHandler:
			panic(p)
		default:
			err = &panicError{value: p, stack: debug.Stack()}
		}
	}()
	return f()
}

// guarded is guard for work that ends with an answer.
func guarded(ctx context.Context, logger *slog.Logger, f func() answer) (result answer) {
	err := guard(func() error { result = f(); return nil })
	if p, ok := errors.AsType[*panicError](err); ok {
		return panicked(ctx, logger, p)
	}
	return result
}

// panicked tells of a panic, and returns the answer to it.
func panicked(ctx context.Context, logger *slog.Logger, err *panicError) answer {
	logger.ErrorContext(ctx, "panic, caught", errorAttribute("error", err), slog.String("stack", truncate.Text(string(err.stack), maxLogError)))
	trace.SpanFromContext(ctx).RecordError(err, trace.WithAttributes(semconv.ExceptionStacktrace(string(err.stack))))
	return again
}
