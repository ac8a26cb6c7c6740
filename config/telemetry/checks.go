package telemetry

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/http/httpguts"
)

func oneOf(values ...string) check {
	return func(value string) error {
		if slices.Contains(values, value) {
			return nil
		}
		return fmt.Errorf("is %q: supported is %s", value, strings.Join(values, ", "))
	}
}

// anyCase is for what the SDK reads in upper and lower case alike.
func anyCase(c check) check {
	return func(value string) error { return c(strings.ToLower(value)) }
}

func wholeNumber(least, most int) check {
	return func(value string) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < least || n > most {
			return fmt.Errorf("is %q: it must be a whole number from %d to %d", value, least, most)
		}
		return nil
	}
}

// milliseconds is how OpenTelemetry spells durations. None of them may be 0:
// that would be for ever, or all the time.
var milliseconds = wholeNumber(1, maxMilliseconds)

var items = wholeNumber(1, maxItems)

// integer is for limits that a negative number removes.
func integer(value string) error {
	if _, err := strconv.Atoi(value); err != nil {
		return fmt.Errorf("is %q: it must be a whole number", value)
	}
	return nil
}

// ratio is the argument of the samplers that have one.
func ratio(value string) error {
	r, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil || !(0 <= r && r <= 1) { // so that NaN is none
		return fmt.Errorf("is %q: it must be a number from 0 to 1", value)
	}
	return nil
}

// headers is a list of key=value with percent-encoded values.
func headers(value string) error {
	return pairs(value, func(key, text string) bool {
		return httpguts.ValidHeaderFieldName(key) && httpguts.ValidHeaderFieldValue(text)
	})
}

func resourceAttributes(value string) error {
	return pairs(value, func(key, text string) bool { return key != "" && utf8.ValidString(key+text) })
}

func text(value string) error {
	if !utf8.ValidString(value) {
		return fmt.Errorf("is %q: it must be UTF-8", value)
	}
	return nil
}

// pairs names a bad entry by its place: it may be half of a credential.
func pairs(value string, valid func(key, text string) bool) error {
	for i, pair := range strings.Split(value, ",") {
		key, encoded, found := strings.Cut(pair, "=")
		text, err := url.PathUnescape(encoded)
		if !found || err != nil || !valid(strings.TrimSpace(key), strings.TrimSpace(text)) {
			return fmt.Errorf("must be a list such as key1=value1,key2=value2 with percent-encoded values: entry %d is not", i+1)
		}
	}
	return nil
}
