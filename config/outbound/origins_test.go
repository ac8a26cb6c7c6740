package outbound_test

import "testing"

func TestEndpointsOfOneOriginShareAClient(t *testing.T) {
	factory := newFactory(t, nil)
	config := credentialsConfig()
	config.Endpoints = []string{"https://api.example/v1/traces", "https://other.example"}
	base := acquire(t, factory, config)
	for _, endpoints := range [][]string{
		{"https://api.example/v1/logs?x=y", "https://other.example"},
		{"https://API.example:443", "https://other.example/"},
		{"https://other.example", "https://api.example"},
		{"https://api.example", "https://other.example", "https://api.example/v1/traces"},
	} {
		config.Endpoints = endpoints
		if !acquire(t, factory, config).IsSame(base) {
			t.Errorf("%q have a client of their own", endpoints)
		}
	}
	for _, endpoints := range [][]string{
		{"https://api.example", "https://other.example:8443"},
		{"https://api.example"},
		{"https://api.example", "https://other.example", "https://third.example"},
	} {
		config.Endpoints = endpoints
		if acquire(t, factory, config).IsSame(base) {
			t.Errorf("%q share the client of others", endpoints)
		}
	}
}
