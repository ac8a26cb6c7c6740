package cluster

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/truncate"
)

// ErrRefused is what every [RefusedError] matches.
var ErrRefused = errors.New("the API server refuses the Gateway")

const (
	// maxBlame and maxRefusal bound what is told of a refusal, in bytes: the API
	// server repeats whole objects in it, and a webhook what it likes.
	maxBlame   = 256
	maxRefusal = 1024
)

// RefusedError is returned by [Cluster.Write] and [Cluster.Try] when the API
// server will not have the Gateway with that content, however often it is sent:
// its validation or an admission policy or webhook says no.
type RefusedError struct {
	// Listeners are those that the API server blames, user-owned ones included,
	// each with its words, at most 256 bytes. It is empty when it blames none.
	Listeners map[gatewayv1.SectionName]string
	// Err is the API server's answer.
	Err error
}

// Error is at most 1024 bytes long.
func (e *RefusedError) Error() string {
	return truncate.Text(fmt.Sprintf("%v: %v", ErrRefused, e.Err), maxRefusal)
}

// Unwrap returns the API server's answer.
func (e *RefusedError) Unwrap() error { return e.Err }

// Is makes errors.Is(err, ErrRefused) hold.
func (e *RefusedError) Is(target error) bool { return target == ErrRefused }

// Words are the API server's own, at most 256 bytes.
func (e *RefusedError) Words() string {
	var answer apierrors.APIStatus
	if errors.As(e.Err, &answer) {
		return truncate.Text(answer.Status().Message, maxBlame)
	}
	return truncate.Text(e.Err.Error(), maxBlame)
}

// refused reads whom the answer blames. Listeners are those of the plan, in
// the order in which the patch would leave them.
func refused(err error, listeners []gatewayv1.Listener) *RefusedError {
	blamed := map[gatewayv1.SectionName]string{}
	var answer apierrors.APIStatus
	if errors.As(err, &answer) && answer.Status().Details != nil {
		for _, cause := range answer.Status().Details.Causes {
			name, ok := blames(cause.Field, listeners)
			if !ok {
				continue
			}
			if before := blamed[name]; before != "" {
				cause.Message = before + "; " + cause.Message
			}
			blamed[name] = truncate.Text(cause.Message, maxBlame)
		}
	}
	return &RefusedError{Listeners: blamed, Err: err}
}

var listenerField = regexp.MustCompile(`^spec\.listeners\[(\d+)\]`)

// blames returns the listener that a field such as spec.listeners[2].hostname
// belongs to. Rules on the whole list, which look at two listeners or more, name
// spec.listeners alone; admission policies name no field.
func blames(field string, listeners []gatewayv1.Listener) (gatewayv1.SectionName, bool) {
	match := listenerField.FindStringSubmatch(field)
	if match == nil {
		return "", false
	}
	i, err := strconv.Atoi(match[1])
	if err != nil || i >= len(listeners) {
		return "", false
	}
	return listeners[i].Name, true
}
