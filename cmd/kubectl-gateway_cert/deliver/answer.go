package deliver

import (
	"fmt"
	"net/http"
)

// Answer is what became of one event.
type Answer struct {
	// Code is the handler's last status code; 0 if there was none.
	Code int
	// Tries is how often the event was sent.
	Tries int
	// Err is why there was no answer; nil if there was one.
	Err error
}

// Taken reports whether the handler has done what the event was for.
func (a Answer) Taken() bool { return a.Err == nil && a.Code >= 200 && a.Code < 300 }

// meanings are the handler's answers, as package handler gives them.
var meanings = map[int]string{
	http.StatusNoContent:          "done",
	http.StatusBadRequest:         "the handler cannot read this as an event",
	http.StatusUnauthorized:       "the handler wants to know who sends this, and the token is missing or not valid there; see --token-file",
	http.StatusForbidden:          "the handler takes no events of this token's account; it has to stand under authentication.allowed in the settings",
	http.StatusServiceUnavailable: "not done, because something failed or took too long; the handler's log says what",
	http.StatusNotFound:           "whatever answers there is not the handler",
	http.StatusMethodNotAllowed:   "whatever answers there is not the handler",
}

// String says it to a person.
func (a Answer) String() string {
	meaning, known := meanings[a.Code]
	switch {
	case a.Err != nil:
		return a.Err.Error()
	case known:
	case a.Taken():
		meaning = "taken, by something else than the handler, which would have answered 204"
	case a.Code >= 300 && a.Code < 400:
		meaning = "whatever answers there points elsewhere, and no token goes after it"
	default:
		meaning = "not an answer that the handler gives; something on the way did"
	}
	text := fmt.Sprintf("%d: %s", a.Code, meaning)
	if a.Tries > 1 {
		text += fmt.Sprintf(" (%d tries)", a.Tries)
	}
	return text
}
