package handler

import (
	"context"
	"errors"
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
}

// New returns a Handler that gives its work to the reconciler.
func New(reconciler Reconciler, provider trace.TracerProvider, logger *slog.Logger) *Handler {
	return &Handler{
		reconciler: reconciler,
		tracer:     provider.Tracer(instrumentationName),
		logger:     logger,
	}
}

// ServeHTTP implements [http.Handler]. An event is taken on whatever path it
// comes: [http.ServeMux] would redirect one that is not clean, and no source of
// events follows.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodPost:
		h.serveEvents(w, r)
	case http.MethodGet, http.MethodHead:
		probe(w, r)
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

func probe(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/" && r.URL.Path != "/healthz" {
		w.WriteHeader(http.StatusNotFound)
	}
}

func (h *Handler) serveEvents(w http.ResponseWriter, r *http.Request) {
	received := time.Now()
	events, decodeErr := decode(w, r)

	// A sender that goes away must not stop work half-way: it will not send the
	// event again.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), workDeadline)
	defer cancel()
	ctx, span := h.startSpan(ctx, r, received, events)
	defer span.End()

	var result answer
	switch {
	case decodeErr == nil:
		result = h.handleAll(ctx, events)
	case errors.Is(decodeErr, errCutOff):
		result = again
	default:
		result = unreadable
	}
	if decodeErr != nil {
		h.logger.WarnContext(ctx, "the request holds no event", "error", decodeErr)
		span.RecordError(decodeErr)
	}
	recordAnswer(span, result)
	result.write(w)
}
