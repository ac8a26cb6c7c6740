package handler

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/cloudevents/sdk-go/v2/event"
	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"
)

// errCutOff means that the request did not arrive whole. The same event, sent
// again, may.
var errCutOff = errors.New("the request's body did not arrive whole")

// decode reads the CloudEvents of a request, in binary, structured or batched
// mode of the HTTP protocol binding (CloudEvents 1.0). Whether each is valid is
// looked at when its turn comes, so that one bad event spoils no batch. Errors
// are [errCutOff], or that this can never be read.
func decode(w http.ResponseWriter, r *http.Request) ([]event.Event, error) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBodyBytes))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, fmt.Errorf("read a CloudEvent: the body is over %d bytes", tooLarge.Limit)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", errCutOff, err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	events, err := parse(r)
	if err != nil {
		return nil, fmt.Errorf("read a CloudEvent: %w", err)
	}
	return events, nil
}

func parse(r *http.Request) ([]event.Event, error) {
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
