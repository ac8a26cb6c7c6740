package handler

import (
	"context"
	"slices"
	"sync"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"

	"gateway-cert-operator.io/gateway-cert-handler/knative"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
)

// eventOutcome is what came of an event: the verdict of the gravest run for it,
// or one of these.
type eventOutcome string

const (
	// outcomeShared: a run that other events had asked for too has ended well.
	outcomeShared eventOutcome = "Shared"
	// outcomeNoGateway: the change concerns none.
	outcomeNoGateway eventOutcome = "NoGateway"
	// outcomeIgnored: the event is none of our business.
	outcomeIgnored eventOutcome = "Ignored"
	// outcomeMalformed: this can never be read as an event.
	outcomeMalformed eventOutcome = "Malformed"
	// outcomeUnauthenticated and outcomeForbidden: its sender is not heard.
	outcomeUnauthenticated eventOutcome = "Unauthenticated"
	outcomeForbidden       eventOutcome = "Forbidden"
	// outcomeOverloaded: too many requests were under way.
	outcomeOverloaded eventOutcome = "Overloaded"

	outcomeTryAgain = eventOutcome(reconcile.TryAgain)
)

// unread are the outcomes of requests whose events nobody has read.
var unread = map[answer]eventOutcome{
	unreadable:      outcomeMalformed,
	unauthenticated: outcomeUnauthenticated,
	forbidden:       outcomeForbidden,
	again:           outcomeTryAgain,
}

// gravity orders what one event's runs may have come to, the gravest first.
var gravity = []eventOutcome{
	outcomeTryAgain, eventOutcome(reconcile.Refused), eventOutcome(reconcile.GatewayMissing), eventOutcome(reconcile.Patched),
	eventOutcome(reconcile.DryRun), outcomeShared, eventOutcome(reconcile.Unchanged), eventOutcome(reconcile.Paused), eventOutcome(reconcile.Covered), outcomeNoGateway,
}

// outcomeOf sums up the runs for one event.
func outcomeOf(runs []reconcile.Outcome) eventOutcome {
	gravest := len(gravity) - 1
	for _, run := range runs {
		one := eventOutcome(run.Verdict)
		if run.Shared && (run.Verdict == reconcile.Patched || run.Verdict == reconcile.Unchanged) {
			one = outcomeShared
		}
		gravest = min(gravest, max(0, slices.Index(gravity, one))) // what is unknown is grave
	}
	return gravity[gravest]
}

const eventOutcomeKey = attribute.Key("gateway_cert.event.outcome")

// otherType stands for the types of events that we do not know, and for those of
// events that nobody has read: anybody can make up types.
const otherType = "other"

var knownTypes = []string{
	knative.ResourceAdd, knative.ResourceUpdate, knative.ResourceDelete, knative.Ping,
	knative.ReferenceAdd, knative.ReferenceUpdate, knative.ReferenceDelete,
}

// metrics count what comes in. No attribute has more values than this file and
// the status codes name.
type metrics struct {
	events metric.Int64Counter
	// options are made once for each kind of event: to sort its attributes takes
	// longer than to count it.
	mu      sync.RWMutex
	options map[kind][]metric.AddOption
}

// kind is what events are counted by.
type kind struct {
	eventType string
	outcome   eventOutcome
	code      int
}

func (k kind) options() []metric.AddOption {
	return []metric.AddOption{metric.WithAttributeSet(attribute.NewSet(
		semconv.CloudEventsEventType(k.eventType),
		eventOutcomeKey.String(string(k.outcome)),
		semconv.HTTPResponseStatusCode(k.code)))}
}

func newMetrics(provider metric.MeterProvider) *metrics {
	if provider == nil {
		provider = noop.NewMeterProvider()
	}
	events, err := provider.Meter(instrumentationName).Int64Counter("gateway_cert.events",
		metric.WithUnit("{event}"), metric.WithDescription("Events, and requests whose events were not read, by what came of them."))
	if err != nil {
		otel.Handle(err) // of a name that is not valid
	}
	return &metrics{events: events, options: map[kind][]metric.AddOption{}}
}

// event counts one event.
func (m *metrics) event(ctx context.Context, eventType string, outcome eventOutcome, a answer) {
	if !slices.Contains(knownTypes, eventType) {
		eventType = otherType
	}
	if outcome == eventOutcome(reconcile.Covered) {
		ctx = context.Background() // there is no run that its trace could be an exemplar of
	}
	m.events.Add(ctx, 1, m.optionsOf(kind{eventType, outcome, statusCodes[a]})...)
}

func (m *metrics) optionsOf(k kind) []metric.AddOption {
	m.mu.RLock()
	options, known := m.options[k]
	m.mu.RUnlock()
	if known {
		return options
	}
	options = k.options()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.options[k] = options
	return options
}

// request counts a request whose events were not read.
func (m *metrics) request(ctx context.Context, outcome eventOutcome, a answer) {
	m.event(ctx, otherType, outcome, a)
}
