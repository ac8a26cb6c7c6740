package cluster

import (
	"net/http/httptest"
	"testing"
)

func TestSpanName(t *testing.T) {
	for _, tc := range []struct{ method, path, want string }{
		{"GET", "/apis/cert-manager.io/v1/certificates", "LIST certificates"},
		{"GET", "/apis/cert-manager.io/v1/namespaces/infra/certificates", "LIST certificates"},
		{"GET", "/apis/gateway.networking.k8s.io/v1/namespaces/infra/gateways/edge", "GET gateways"},
		{"PATCH", "/apis/gateway.networking.k8s.io/v1/namespaces/infra/gateways/edge", "PATCH gateways"},
		{"POST", "/apis/events.k8s.io/v1/namespaces/infra/events", "POST events"},
		{"GET", "/apis/events.k8s.io/v1/namespaces/infra/events/edge.0", "GET events"},
		{"POST", "/apis/authentication.k8s.io/v1/tokenreviews", "POST tokenreviews"},
		{"GET", "/api/v1/namespaces/infra", "GET namespaces"},
		{"GET", "/api/v1/namespaces", "LIST namespaces"},
		{"GET", "/api/v1/namespaces/infra/pods", "LIST pods"},
		{"GET", "/api/v1/namespaces/infra/pods/web", "GET pods"},
		{"GET", "/api/v1", "GET"},
		{"GET", "/apis/events.k8s.io/v1", "GET"},
		{"GET", "/version", "GET version"},
		{"GET", "/", "GET"},
	} {
		if got := spanName("", httptest.NewRequest(tc.method, tc.path, nil)); got != tc.want {
			t.Errorf("spanName(%s %s) = %q, want %q", tc.method, tc.path, got, tc.want)
		}
	}
}
