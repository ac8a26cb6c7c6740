package handler

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/trace"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
)

// Reconciler does the work for one change. An error means that it could not
// even be told which Gateways the change concerns.
type Reconciler interface {
	Handle(ctx context.Context, change reconcile.Change) ([]reconcile.Outcome, error)
}

// Handler serves the process's whole HTTP interface: CloudEvents by POST on any
// path, and GET or HEAD on / and /healthz for probes. It is safe for concurrent
// use.
type Handler struct {
	reconciler Reconciler
	tracer     trace.Tracer
	logger     *slog.Logger
	mux        *http.ServeMux
}

// New returns a Handler that gives its work to the reconciler.
func New(reconciler Reconciler, provider trace.TracerProvider, logger *slog.Logger) *Handler {
	h := &Handler{
		reconciler: reconciler,
		tracer:     provider.Tracer(instrumentationName),
		logger:     logger,
		mux:        http.NewServeMux(),
	}
	h.mux.HandleFunc("GET /{$}", alive)
	h.mux.HandleFunc("GET /healthz", alive)
	h.mux.HandleFunc("POST /", h.serveEvents)
	return h
}

// ServeHTTP implements [http.Handler].
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.mux.ServeHTTP(w, r) }

func alive(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }

func (h *Handler) serveEvents(w http.ResponseWriter, r *http.Request) {
	received := time.Now()
	r.Body = http.MaxBytesReader(w, r.Body, maxBodyBytes)
	events, decodeErr := decode(r)

	// A sender that goes away must not stop work half-way: it will not send the
	// event again.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), workDeadline)
	defer cancel()
	ctx, span := h.startSpan(ctx, r, received, events)
	defer span.End()

	result := unreadable
	if decodeErr != nil {
		h.logger.WarnContext(ctx, "the request holds no event", "error", decodeErr)
		span.RecordError(decodeErr)
	} else {
		result = h.handleAll(ctx, events)
	}
	recordAnswer(span, result)
	result.write(w)
}
