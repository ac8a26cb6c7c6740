package outcomes

import (
	"errors"
	"fmt"
	"net/url"
)

// ParseSink reads K_SINK, which must not be empty: where events are posted to. An
// error names the variable, and not the URL, which may hold what is secret.
func ParseSink(text string) (*url.URL, error) {
	sink, err := parseSink(text)
	if err != nil {
		return nil, fmt.Errorf("read K_SINK: %w", err)
	}
	return sink, nil
}

func parseSink(text string) (*url.URL, error) {
	sink, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, errors.New("it is no URL")
	case sink.Scheme != "http" && sink.Scheme != "https":
		return nil, errors.New("want a URL that begins with http:// or https://")
	case sink.Hostname() == "":
		return nil, errors.New("the URL has no host")
	case sink.User != nil:
		// RFC 9110 section 4.2.4: a sender must not make such a URL.
		return nil, errors.New("the URL holds a user or password; no sink is sent any")
	}
	return sink, nil
}
