package outcomes

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/cloudevents/sdk-go/v2/extensions"
	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/trace"
)

// work delivers one event after the other.
func (s *Sender) work() {
	defer close(s.idle)
	for d := range s.queue {
		done := s.begin()
		s.deliver(d)
		done()
	}
}

// deliver sends an event until the sink has taken or refused it, or time or tries
// run out.
func (s *Sender) deliver(d delivery) {
	ctx, cancel := context.WithTimeout(s.ctx, deliveryTimeout)
	defer cancel()
	ctx, span := s.startSpan(ctx, d)
	defer span.End()
	last, tries := s.try(ctx, d.event)
	span.SetAttributes(semconv.HTTPRequestResendCount(tries - 1))
	if last.status > 0 {
		span.SetAttributes(semconv.HTTPResponseStatusCode(last.status))
	}
	became, _ := last.result()
	if became == delivered {
		s.metrics.add(ctx, delivered)
		return
	}
	why := last.why()
	if s.ctx.Err() != nil {
		why = errClosed
	}
	span.RecordError(why)
	span.SetStatus(codes.Error, why.Error())
	s.lose(d, became, why)
}

// startSpan starts a span beside those of the run's parts.
func (s *Sender) startSpan(ctx context.Context, d delivery) (context.Context, trace.Span) {
	return s.tracer.Start(trace.ContextWithRemoteSpanContext(ctx, d.span), "send outcome",
		trace.WithSpanKind(trace.SpanKindProducer),
		trace.WithAttributes(semconv.CloudEventsEventID(d.event.ID()), semconv.CloudEventsEventType(d.event.Type())))
}

// try returns the last answer, and how many requests there were.
func (s *Sender) try(ctx context.Context, e event.Event) (last answer, tries int) {
	for backoff := pauses(); ; {
		tries++
		last = s.request(ctx, e)
		if _, again := last.result(); !again || backoff.Steps == 0 {
			return last, tries
		}
		if !sleep(ctx, max(backoff.Step(), last.wait)) {
			return last, tries
		}
	}
}

// sleep returns false, and at once, where ctx would end first.
func sleep(ctx context.Context, d time.Duration) bool {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= d {
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// request posts the event in binary mode.
func (s *Sender) request(ctx context.Context, e event.Event) answer {
	ctx, cancel := context.WithTimeout(ctx, tryTimeout)
	defer cancel()
	out := e.Clone()
	s.overrides.apply(&out)
	request, err := cehttp.NewHTTPRequestFromEvent(ctx, s.sink.String(), out)
	if err != nil {
		return answer{err: fmt.Errorf("make a request of the event: %w", err), unsendable: true}
	}
	copyTrace(request.Header, e)
	response, err := s.client.Do(request)
	if err != nil {
		return failed(err)
	}
	defer response.Body.Close()
	_, _ = io.CopyN(io.Discard, response.Body, maxAnswer) // so that the connection can be used again
	return answer{status: response.StatusCode, wait: retryAfter(response.Header, time.Now())}
}

// copyTrace has the headers of W3C Trace Context say what the event's attributes
// say, as the extension wants it of the first hop.
func copyTrace(header http.Header, e event.Event) {
	tracing, _ := extensions.GetDistributedTracingExtension(e)
	for name, value := range map[string]string{
		extensions.TraceParentExtension: tracing.TraceParent, extensions.TraceStateExtension: tracing.TraceState,
	} {
		if value != "" {
			header.Set(name, value)
		}
	}
}
