package outcomes

import (
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// classOf tells failures apart by what they are and not by their words, which may
// hold a resourceVersion, a time or a request's id: an answer of the API server by
// its code and reason, all else by the type of the innermost error.
func classOf(err error) string {
	if err == nil {
		return ""
	}
	var answer apierrors.APIStatus
	if errors.As(err, &answer) {
		return fmt.Sprint(answer.Status().Code, " ", answer.Status().Reason)
	}
	return fmt.Sprintf("%T", innermost(err))
}

// innermost follows the first where several are joined, which is the cause.
func innermost(err error) error {
	for {
		var next error
		switch e := err.(type) {
		case interface{ Unwrap() error }:
			next = e.Unwrap()
		case interface{ Unwrap() []error }:
			if all := e.Unwrap(); len(all) > 0 {
				next = all[0]
			}
		}
		if next == nil {
			return err
		}
		err = next
	}
}
