package handler

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	"go.opentelemetry.io/otel/metric"
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
	senders    func() *Senders // nil: everybody
	outcomes   Outcomes        // nil: nobody is told
	tracer     trace.Tracer
	metrics    *metrics
	logger     *slog.Logger
	inFlight   chan struct{} // one for each request with events that is under way
}

// Options are what a Handler is made of.
type Options struct {
	// Reconciler is given the work.
	Reconciler Reconciler
	Tracing    trace.TracerProvider
	// Metrics may be nil: then nothing is measured.
	Metrics metric.MeterProvider
	Logger  *slog.Logger
}

// New returns a Handler.
func New(options Options) *Handler {
	return &Handler{
		reconciler: options.Reconciler,
		senders:    func() *Senders { return nil },
		tracer:     options.Tracing.Tracer(instrumentationName),
		metrics:    newMetrics(options.Metrics),
		logger:     options.Logger,
		inFlight:   make(chan struct{}, maxInFlight),
	}
}

// ServeHTTP implements [http.Handler]. An event is taken on whatever path it
// comes: [http.ServeMux] would redirect one that is not clean, and no source of
// events follows.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodPost:
		h.admit(w, r)
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

// admit takes the request, or turns it away where too many are under way.
func (h *Handler) admit(w http.ResponseWriter, r *http.Request) {
	select {
	case h.inFlight <- struct{}{}:
		defer func() { <-h.inFlight }()
		h.serveEvents(w, r)
	default:
		h.logger.WarnContext(r.Context(), "too many requests at once", "limit", maxInFlight)
		h.metrics.request(r.Context(), outcomeOverloaded, again)
		// Else the server would wait for the body before it sends the answer.
		w.Header().Set("Connection", "close")
		again.write(w)
	}
}

func (h *Handler) serveEvents(w http.ResponseWriter, r *http.Request) {
	received := time.Now()
	if refused := h.refusalOf(r); refused != nil {
		h.refuse(w, r, *refused, received)
		return
	}
	var events []event.Event
	err := guard(func() (err error) { events, err = decode(w, r); return err })

	// A sender that goes away must not stop work half-way: it will not send the
	// event again.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), workDeadline)
	defer cancel()
	ctx, span := h.startSpan(ctx, r, received, events)
	defer span.End()

	var result answer
	var n news
	if err != nil {
		result = h.holdsNoEvent(ctx, err)
		h.metrics.request(ctx, unread[result], result)
	} else {
		result = h.handleAll(ctx, events, &n)
	}
	result, reply := h.tell(result, len(events) == 1 && r.Context().Err() == nil, n)
	describe(span, r, events, result)
	write(ctx, w, result, reply)
}
