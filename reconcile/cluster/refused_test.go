package cluster

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

func invalid(causes ...metav1.StatusCause) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Code: 422, Details: &metav1.StatusDetails{Causes: causes}}}
}

func TestCausesAreGivenToTheListenersAtTheirPositions(t *testing.T) {
	listeners := []gatewayv1.Listener{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	got := refused(invalid(
		metav1.StatusCause{Field: "spec.listeners[1].hostname", Message: "bad hostname"},
		metav1.StatusCause{Field: "spec.listeners[1].port", Message: "bad port"},
		metav1.StatusCause{Field: "spec.listeners[2]", Message: "bad"},
		metav1.StatusCause{Field: "spec.listeners[3].port", Message: "of none"},
		metav1.StatusCause{Field: "spec.listeners[99999999999999999999]", Message: "of none"},
		metav1.StatusCause{Field: "spec.listeners", Message: "of all"},
		metav1.StatusCause{Field: "spec.listenersElse[0]", Message: "of something else"},
		metav1.StatusCause{Message: "of a policy"},
	), listeners).Listeners
	want := map[gatewayv1.SectionName]string{"b": "bad hostname; bad port", "c": "bad"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("blamed (-want +got):\n%s", diff)
	}
}

func TestARefusalIsTyped(t *testing.T) {
	cause := invalid()
	err := fmt.Errorf("wrapped: %w", refused(cause, nil))
	if !errors.Is(err, ErrRefused) || !errors.Is(err, cause) || errors.Is(err, ErrOutdated) {
		t.Errorf("%v is not a refusal by %v alone", err, cause)
	}
	if typed, ok := errors.AsType[*RefusedError](err); !ok || len(typed.Listeners) != 0 {
		t.Errorf("%v has no RefusedError that blames none", err)
	}
}

func TestARefusalIsNotEndless(t *testing.T) {
	long := strings.Repeat("€", 10_000)
	got := refused(&apierrors.StatusError{ErrStatus: metav1.Status{Message: long, Details: &metav1.StatusDetails{
		Causes: []metav1.StatusCause{{Field: "spec.listeners[0]", Message: long}, {Field: "spec.listeners[0]", Message: long}},
	}}}, []gatewayv1.Listener{{Name: "a"}})
	if n := len(got.Listeners["a"]); n > 256 || n < 250 {
		t.Errorf("the listener's words are %d bytes long, want 256 at most", n)
	}
	if n := len(got.Error()); n > 1024 || n < 1000 {
		t.Errorf("the message is %d bytes long, want 1024 at most", n)
	}
}
