package config

import (
	stdjson "encoding/json"
	"errors"
	"slices"

	"sigs.k8s.io/json"
)

// decoded is what a decoder has made of a settings file.
type decoded struct {
	settings HandlerConfig
	// asJSON has null for each value that could not be read.
	asJSON []byte
	// unread are the values of a wrong type, unknown the keys that nobody knows.
	unread, unknown []finding
}

// maxUnread bounds how often a text is read: 1 MiB of wrong types would take
// seconds else.
const maxUnread = 20

// decode reads JSON strictly. The decoder tells only of the first value of a wrong
// type, so that is made null, which any type takes for what is absent, and the
// whole is read again.
func decode(asJSON []byte) decoded {
	d := decoded{asJSON: asJSON}
	// Values are told of in their order: one that begins before here was not the
	// cause, as where a type decodes itself, and counts bytes from its own start.
	judged := int64(0)
	for {
		d.settings = HandlerConfig{}
		strict, err := json.UnmarshalStrict(d.asJSON, &d.settings)
		if err == nil {
			d.unknown = unknownKeys(strict)
			return d
		}
		var wrong *stdjson.UnmarshalTypeError
		if !errors.As(err, &wrong) {
			d.unread = append(d.unread, finding{message: err.Error()})
			return d
		}
		if len(d.unread) == maxUnread {
			d.unread = append(d.unread, finding{message: "more values have a wrong type: mend these first"})
			return d
		}
		v, found := valueAt(d.asJSON, wrong.Offset)
		if !found || v.from < judged {
			d.unread = append(d.unread, finding{path: wrong.Field, message: wrongType(wrong)})
			return d
		}
		d.unread = append(d.unread, finding{path: v.path, message: wrongType(wrong)})
		d.asJSON = slices.Concat(d.asJSON[:v.from], []byte("null"), d.asJSON[v.to:])
		judged = v.from + 1
	}
}

func unknownKeys(strict []error) []finding {
	var found []finding
	for _, err := range strict {
		f := finding{message: err.Error()}
		var at json.FieldError
		if errors.As(err, &at) {
			f = finding{path: at.FieldPath(), message: "unknown key: take it out, or spell it right, letter case included", aboutKey: true}
		}
		found = append(found, f)
	}
	return found
}
