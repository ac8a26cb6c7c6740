package deliver

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"unicode"

	"github.com/cloudevents/sdk-go/v2/event"
)

// maxEventBytes is twice what the handler reads of a request, because data may be
// in base64 here.
const maxEventBytes = 6 << 20

// Read reads CloudEvents in JSON (CloudEvents 1.0, JSON event format): one, or
// several one after the other, as one on each line, or a batch in brackets. It
// holds one in memory at a time. The first error ends it; it says how many events
// came before.
func Read(in io.Reader) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		limited := &bounded{in: in}
		decoder, batch, err := begin(limited)
		if err != nil {
			yield(event.Event{}, err)
			return
		}
		for n := 1; ; n++ {
			e, err := next(decoder, batch)
			limited.left = maxEventBytes
			switch {
			case errors.Is(err, io.EOF) && n > 1:
				return
			case errors.Is(err, io.EOF):
				err = errors.New("there is no event in it")
			case err != nil:
				err = fmt.Errorf("read event %d: %w", n, err)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// begin looks whether it is a batch, and goes into its brackets.
func begin(limited *bounded) (_ *json.Decoder, batch bool, _ error) {
	limited.left = maxEventBytes
	in := bufio.NewReader(limited)
	for {
		r, _, err := in.ReadRune()
		switch {
		case errors.Is(err, io.EOF):
			return nil, false, errors.New("there is no event in it")
		case err != nil:
			return nil, false, err
		case unicode.IsSpace(r) || r == '\ufeff': // byte order mark
			continue
		}
		if err := in.UnreadRune(); err != nil {
			return nil, false, err
		}
		decoder := json.NewDecoder(in)
		if r == '[' {
			_, err = decoder.Token()
		}
		return decoder, r == '[', err
	}
}

// next returns io.EOF at the end.
func next(decoder *json.Decoder, batch bool) (event.Event, error) {
	if batch && !decoder.More() {
		return event.Event{}, endOf(decoder)
	}
	var raw json.RawMessage
	if err := decoder.Decode(&raw); err != nil {
		return event.Event{}, err
	}
	e := event.Event{}
	if err := json.Unmarshal(raw, &e); err != nil {
		return event.Event{}, err
	}
	return e, e.Validate()
}

// endOf makes sure that a batch ends, and the text with it.
func endOf(decoder *json.Decoder) error {
	if _, err := decoder.Token(); err != nil {
		return fmt.Errorf("the batch does not end: %w", noEnd(err))
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something comes after the batch")
	}
	return io.EOF
}

func noEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// bounded is a reader that gives up after so many bytes, until it is given more.
type bounded struct {
	in   io.Reader
	left int
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("it is over %d bytes, more than the handler would read", maxEventBytes)
	}
	n, err := b.in.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
