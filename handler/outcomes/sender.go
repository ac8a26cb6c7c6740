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

	"gateway-cert-operator.io/gateway-cert-handler/knative"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
)

// Options are what a Sender is made of.
type Options struct {
	// Sink is where events go; nil if they go nowhere but into answers.
	Sink *url.URL
	// Overrides are for events to the sink.
	Overrides Overrides
	// Reply has the answer to an event carry an outcome of it.
	Reply bool
	// Client sends to the sink; it may be nil without one. Redirects are not
	// followed, whatever it does with them elsewhere.
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
	reply     bool
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

	mu     sync.Mutex
	queue  chan delivery
	closed bool
}

// delivery is an event on its way to the sink.
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
	if s.begin == nil {
		s.begin = func() func() { return func() {} }
	}
	go s.work()
	return s
}

// Send has the sink told of an outcome, if it is news.
func (s *Sender) Send(o reconcile.Outcome, cause Cause) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d, ok := s.newsOf(o, cause); ok {
		s.enqueue(d)
	}
}

// Reply returns the event that the answer to the cause is to carry, if there is
// one: an answer can carry no more than that. It is the first that tells of a
// failure, else the first that tells anything. The sink is told of the others.
func (s *Sender) Reply(all []reconcile.Outcome, cause Cause) (reply event.Event, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var news []delivery
	chosen := -1
	for _, o := range all {
		d, is := s.newsOf(o, cause)
		if !is {
			continue
		}
		if chosen < 0 || !isFailure(news[chosen]) && isFailure(d) {
			chosen = len(news)
		}
		news = append(news, d)
	}
	for i, d := range news {
		if s.reply && i == chosen {
			reply, ok = d.event, true
			s.metrics.add(s.ctx, delivered)
			continue
		}
		s.enqueue(d)
	}
	return reply, ok
}

func isFailure(d delivery) bool { return d.event.Type() == knative.GatewayFailed }

func (s *Sender) newsOf(o reconcile.Outcome, cause Cause) (delivery, bool) {
	if !s.told.isNews(o) {
		return delivery{}, false
	}
	e, ok := Event(o, cause, Stamp{ID: string(uuid.NewUUID()), Time: time.Now()})
	return delivery{e, o.Gateway, spanOf(o, cause)}, ok
}

var (
	errNoSink = errors.New("there is no sink, and an answer carries one outcome of one event")
	errClosed = errors.New("the process stops")
	errFull   = errors.New("too many wait to be delivered")
)

// enqueue waits for nobody.
func (s *Sender) enqueue(d delivery) {
	switch {
	case s.sink == nil:
		s.lose(d, dropped, errNoSink)
		return
	case s.closed:
		s.lose(d, dropped, errClosed)
		return
	}
	select {
	case s.queue <- d:
	default:
		s.lose(d, dropped, errFull)
	}
}

// lose takes note of an event that does not arrive. The Gateway's next outcome is
// news then.
func (s *Sender) lose(d delivery, r result, why error) {
	s.told.forget(d.gateway)
	s.metrics.add(s.ctx, r)
	s.losses.add(why)
}

// Close takes no more outcomes, sends what is queued until ctx ends, and tells in
// the log what is lost.
func (s *Sender) Close(ctx context.Context) {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.queue)
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
