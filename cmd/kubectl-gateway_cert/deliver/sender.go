package deliver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"time"

	"github.com/cloudevents/sdk-go/v2/event"
	cehttp "github.com/cloudevents/sdk-go/v2/protocol/http"
)

// ErrNotWaitedFor is the error of an [Answer] where the event was sent and time
// was up before the answer came.
var ErrNotWaitedFor = errors.New("sent, and time was up before the answer")

// Sender sends events one after the other.
type Sender struct {
	Target Target
	// Tries is how often an event is sent that is answered 503, at least once.
	// 0 stands for as often as the context allows.
	Tries int
	// Again is told before a 503 makes for another try; may be nil.
	Again func(Answer, time.Duration)
	// Transport is for tests; nil stands for Go's own.
	Transport http.RoundTripper
}

// Pauses before an event is sent again, where the handler names none or one that
// nobody would wait for.
const (
	defaultPause = time.Second
	maxPause     = 30 * time.Second
)

// Send sends the event until it is answered otherwise than by 503, which alone
// means that it may be sent again. Context bounds it.
func (s *Sender) Send(ctx context.Context, e event.Event) Answer {
	for tries := 1; ; tries++ {
		a, pause := s.once(ctx, e)
		a.Tries = tries
		if a.Err != nil || a.Code != http.StatusServiceUnavailable || tries == s.Tries {
			return a
		}
		if s.Again != nil {
			s.Again(a, pause)
		}
		select {
		case <-ctx.Done():
			return a
		case <-time.After(pause):
		}
	}
}

func (s *Sender) once(ctx context.Context, e event.Event) (Answer, time.Duration) {
	sent := make(chan struct{}, 1)
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteRequest: func(info httptrace.WroteRequestInfo) {
		if info.Err == nil {
			select {
			case sent <- struct{}{}:
			default:
			}
		}
	}})
	request, err := cehttp.NewHTTPRequestFromEvent(traced, s.Target.url, e)
	if err != nil {
		return Answer{Err: fmt.Errorf("make a request of the event: %w", err)}, 0
	}
	if s.Target.token != "" {
		request.Header.Set("Authorization", "Bearer "+s.Target.token)
	}
	response, err := s.client().Do(request)
	if err != nil {
		return Answer{Err: why(ctx, err, len(sent) > 0)}, 0
	}
	defer response.Body.Close()
	// The handler's answers have no body; what there is is read so that the
	// connection can be used again.
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 64<<10))
	return Answer{Code: response.StatusCode}, pauseOf(response.Header)
}

// client follows no redirect: a token is for the address that was given.
func (s *Sender) client() *http.Client {
	return &http.Client{
		Transport:     s.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// why leaves the URL out, which the user has given.
func why(ctx context.Context, err error, sent bool) error {
	var about *url.Error
	if errors.As(err, &about) {
		err = about.Err
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded) && sent:
		return ErrNotWaitedFor
	case ctx.Err() != nil:
		return fmt.Errorf("send the event: %w", context.Cause(ctx))
	}
	return fmt.Errorf("send the event: %w", err)
}

// pauseOf reads Retry-After in seconds (RFC 9110 section 10.2.3).
func pauseOf(header http.Header) time.Duration {
	seconds, err := strconv.Atoi(header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return defaultPause
	}
	return min(time.Duration(seconds)*time.Second, maxPause)
}
