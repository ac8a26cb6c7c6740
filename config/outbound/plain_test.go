package outbound_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/config/outbound"
)

// unreadable is a Trust that nothing can be known of.
var unreadable = trust(func(context.Context) ([]byte, error) { return nil, errors.New("cannot tell") })

func TestWhatTLSWouldNeedIsNotReadForPlainHTTP(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(ok))
	defer server.Close()
	mutual := shown(t) // its files are not there
	factory := newFactory(t, nil)
	if err := factory.Register(mutual); err != nil {
		t.Fatal(err)
	}
	config := outbound.Config{Profile: mutual.Name, Endpoints: []string{server.URL}, Trust: unreadable}
	expectStatus(t, acquire(t, factory, config).Client(), server.URL, http.StatusNoContent)
}

func TestOneHTTPSEndpointIsEnoughForTrustToBeNeeded(t *testing.T) {
	config := plainConfig(unreadable)
	config.Endpoints = []string{"http://plain.example", apiURL}
	_, err := newFactory(t, nil).Acquire(t.Context(), owner, config)
	expectError(t, err, "config", "cannot tell")
}

func TestATrustThatWasForgottenIsAnErrorForPlainHTTPToo(t *testing.T) {
	config := plainConfig(nil)
	config.Endpoints = []string{"http://plain.example"}
	_, err := newFactory(t, nil).Acquire(t.Context(), owner, config)
	expectError(t, err, "config", "no trust is set")
}
