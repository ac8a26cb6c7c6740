package handler

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/cloudevents/sdk-go/v2/event"
	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"
)

// decode reads the CloudEvents of a request, in binary, structured or batched
// mode of the HTTP protocol binding (CloudEvents 1.0). Each is valid by the
// CloudEvents specification; what it is about is not looked at.
func decode(r *http.Request) ([]event.Event, error) {
	events, err := decodeAny(r)
	if err != nil {
		return nil, fmt.Errorf("read a CloudEvent: %w", err)
	}
	for i := range events {
		if err := events[i].Validate(); err != nil {
			return nil, fmt.Errorf("read CloudEvent %d of %d: %w", i+1, len(events), err)
		}
	}
	return events, nil
}

func decodeAny(r *http.Request) ([]event.Event, error) {
	if cehttp.IsHTTPBatch(r.Header) {
		events, err := cehttp.NewEventsFromHTTPRequest(r)
		if err == nil && len(events) == 0 {
			return nil, errors.New("the batch is empty")
		}
		return events, err
	}
	e, err := cehttp.NewEventFromHTTPRequest(r)
	if err != nil {
		return nil, err
	}
	return []event.Event{*e}, nil
}
