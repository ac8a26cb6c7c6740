package cluster

import (
	"errors"
	"fmt"
	"net/http"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// What can be had from the real API server is tested there, with policies and a webhook.
func TestAnAnswerIsReadByItsForm(t *testing.T) {
	gateways := schema.GroupResource{Group: "gateway.networking.k8s.io", Resource: "gateways"}
	status := func(code int32, reason metav1.StatusReason, details *metav1.StatusDetails) error {
		return &apierrors.StatusError{ErrStatus: metav1.Status{Code: code, Reason: reason, Details: details}}
	}
	causes := &metav1.StatusDetails{Name: "edge", Causes: []metav1.StatusCause{{Message: "no"}}}
	for _, tc := range []struct {
		name string
		err  error
		want meaning
	}{
		{"no answer", errors.New("connection refused"), failure},
		{"a conflict", apierrors.NewConflict(gateways, "edge", errors.New("x")), outdated},
		{"a failed test", apierrors.NewGenericServerResponse(422, "", schema.GroupResource{}, "", "test failed", 0, false), unclear},
		{"a webhook's 422", status(422, "", nil), unclear},
		{"an invalid object", apierrors.NewInvalid(schema.GroupKind{Kind: "Gateway"}, "edge", nil), refusal},
		{"a policy's RequestEntityTooLarge", status(413, metav1.StatusReasonRequestEntityTooLarge, causes), refusal},
		{"a mutating policy's Invalid under code 403", status(403, metav1.StatusReasonInvalid, causes), refusal},
		{"a webhook's own code", status(418, "", nil), refusal},
		{"a webhook's Forbidden", status(403, metav1.StatusReasonForbidden, nil), refusal},
		{"a webhook's conflict", status(409, "", nil), outdated},
		{"a webhook that fails", status(500, "", nil), failure},
		{"a webhook that is too busy", status(429, "", nil), failure},
		{"a webhook that cannot be reached", apierrors.NewInternalError(errors.New("no route")), failure},
		{"too large", apierrors.NewRequestEntityTooLargeError("x"), refusal},
		{"no rights", apierrors.NewForbidden(gateways, "edge", errors.New("x")), failure},
		{"no credentials", apierrors.NewUnauthorized("x"), failure},
		{"no Gateway", apierrors.NewNotFound(gateways, "edge"), failure},
		{"too many requests", apierrors.NewTooManyRequests("x", 1), failure},
		{"a proxy's 403", apierrors.NewGenericServerResponse(403, "PATCH", gateways, "edge", "<html>", 0, true), failure},
		{"a proxy's 422", apierrors.NewGenericServerResponse(422, "PATCH", gateways, "", "<html>", 0, true), failure},
		{"a proxy's 502", apierrors.NewGenericServerResponse(http.StatusBadGateway, "PATCH", gateways, "edge", "<html>", 0, true), failure},
	} {
		if got := meaningOf(fmt.Errorf("wrapped: %w", tc.err)); got != tc.want {
			t.Errorf("%s: meaning %d, want %d", tc.name, got, tc.want)
		}
	}
}
