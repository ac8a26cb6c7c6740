package config

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/truncate"
)

// finding is a fault that has not been looked up in the file yet.
type finding struct {
	path    string // as a [field.Path] writes it
	message string
	// aboutKey means that the key is wrong and not its value.
	aboutKey bool
	// known is where the fault is, if that was told with it.
	known place
}

// maxValueTold bounds what a message repeats of a value, in bytes.
const maxValueTold = 64

// findingsOf takes over what validation has found. The paths begin at the root.
func findingsOf(errs field.ErrorList) []finding {
	var found []finding
	for _, err := range errs {
		told := *err
		if text, ok := told.BadValue.(string); ok {
			told.BadValue = truncate.Text(text, maxValueTold)
		}
		found = append(found, finding{path: told.Field, message: told.ErrorBody()})
	}
	return found
}

// apartFrom leaves out what concerns a value that could not be read: whether it
// is missing, or goes with others, cannot be told.
func apartFrom(unread, found []finding) []finding {
	var rest []finding
	for _, f := range found {
		if !concernsOne(f, unread) {
			rest = append(rest, f)
		}
	}
	return rest
}

func concernsOne(f finding, unread []finding) bool {
	for _, u := range unread {
		if isWithin(f.path, u.path) || isWithin(u.path, f.path) {
			return true
		}
	}
	return false
}

// isWithin tells whether a path is the other or leads through it.
func isWithin(path, outer string) bool {
	rest, ok := strings.CutPrefix(path, outer)
	return ok && (outer == "" || rest == "" || rest[0] == '.' || rest[0] == '[')
}

// placed looks the findings up in the file.
func (f finding) placed(in tree) Fault {
	at := f.known
	if at == (place{}) {
		at = in.find(f.path, f.aboutKey)
	}
	message := strings.ReplaceAll(f.message, "\n", "; ")
	return Fault{Line: at.line, Column: at.column, Path: oneLine(f.path, maxPathTold), Message: oneLine(message, maxMessageTold)}
}
