package outcomes

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
)

// Options are what a Sender is made of.
type Options struct {
	// Sink is where events go; nil if they go nowhere but into answers.
	Sink *url.URL
	// Overrides are for events to the sink.
	Overrides Overrides
	// Reply says whether the answer to an event is to carry an outcome of it. It is
	// asked each time; nil is never.
	Reply func() bool
	// Client sends to the sink; it may be nil without one. Redirects are not
	// followed, whatever it does with them elsewhere. Where it makes errors of
	// answers, their status is read from a method HTTPStatus() int.
	Client  *http.Client
	Tracing trace.TracerProvider
	// Metrics may be nil: then nothing is measured.
	Metrics metric.MeterProvider
	Logger  *slog.Logger
	// Work is called before a delivery, and what it returns once that has ended and
	// its span too; it may be nil.
	Work func() (done func())
}

// Sender tells others of outcomes. It never blocks its callers, and fails none of
// them: what cannot be delivered is counted, and told in the log. It is safe for
// concurrent use. What it is given goes to the sink in the same order.
type Sender struct {
	sink      *url.URL
	overrides Overrides
	reply     func() bool
	client    *http.Client
	tracer    trace.Tracer
	metrics   metrics
	losses    losses
	told      *told
	begin     func() (done func())

	// ctx ends when nothing is to be sent any more.
	ctx  context.Context
	stop context.CancelFunc
	idle chan struct{} // closed when the queue is worked off for good

	mu      sync.Mutex
	queue   chan delivery // to the sink
	waiting waiting       // for an answer, where there is no sink
	closed  bool
}

// delivery is an event on its way.
type delivery struct {
	event   event.Event
	gateway types.NamespacedName
	span    trace.SpanContext // of the run
}

// New returns a Sender. It works until it is closed.
func New(options Options) *Sender {
	s := &Sender{
		sink: options.Sink, overrides: options.Overrides, reply: options.Reply,
		tracer:  options.Tracing.Tracer(instrumentationName),
		metrics: newMetrics(options.Metrics),
		losses:  losses{logger: options.Logger},
		told:    newTold(),
		begin:   options.Work,
		idle:    make(chan struct{}),
		queue:   make(chan delivery, queueLength),
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	if options.Sink != nil {
		client := *options.Client
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		s.client = &client
	}
	if s.reply == nil {
		s.reply = func() bool { return false }
	}
	if s.begin == nil {
		s.begin = func() func() { return func() {} }
	}
	go s.work()
	return s
}

// Send has the sink told of an outcome, if it is news. Where there is none, the
// next answer to an event about the Gateway is to carry it.
func (s *Sender) Send(o reconcile.Outcome, cause Cause) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d, ok := s.newsOf(o, cause); ok {
		s.pass(d)
	}
}

func (s *Sender) newsOf(o reconcile.Outcome, cause Cause) (delivery, bool) {
	if nobody := s.sink == nil && !s.reply(); nobody || !s.told.isNews(o) {
		return delivery{}, false
	}
	e, tells, err := Event(o, cause, Stamp{ID: string(uuid.NewUUID()), Time: time.Now()})
	if err != nil {
		s.count(dropped, err) // and remember it as told: the next one would fail as well
		return delivery{}, false
	}
	return delivery{e, o.Gateway, spanOf(o, cause)}, tells
}

var (
	errClosed   = errors.New("the process stops")
	errFull     = errors.New("too many wait to be delivered")
	errOutdated = errors.New("a newer one of the same Gateway waits for an answer to carry it")
)

// pass hands an event on to the sink, or to a later answer. It waits for nobody.
func (s *Sender) pass(d delivery) {
	switch {
	case s.closed:
		s.lose(d, dropped, errClosed)
		return
	case s.sink == nil:
		s.keep(d)
		return
	}
	select {
	case s.queue <- d:
	default:
		s.lose(d, dropped, errFull)
	}
}

// keep has an event wait for an answer.
func (s *Sender) keep(d delivery) {
	if _, ok := s.waiting.take(d.gateway); ok {
		s.count(dropped, errOutdated)
	}
	s.waiting.put(d)
	if oldest, ok := s.waiting.surplus(); ok {
		s.lose(oldest, dropped, errFull)
	}
}

// lose takes note of an event that does not arrive. The Gateway's next outcome is
// news then.
func (s *Sender) lose(d delivery, r result, why error) {
	s.told.forget(d.gateway)
	s.count(r, why)
}

func (s *Sender) count(r result, why error) {
	s.metrics.add(s.ctx, r)
	s.losses.add(why)
}

// Close takes no more outcomes, sends what is queued until ctx ends, and tells in
// the log what is lost. No answer is to come that could carry what waits for one.
func (s *Sender) Close(ctx context.Context) {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.queue)
		for _, d := range s.waiting {
			s.lose(d, dropped, errClosed)
		}
		s.waiting = nil
	}
	s.mu.Unlock()
	defer s.losses.tellRest()
	defer s.stop()
	select {
	case <-s.idle:
	case <-ctx.Done():
		s.stop()
		<-s.idle
	}
}
