package jaeger_test

import (
	"strings"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/test/jaeger"
)

func TestATakenQueryAddressIsTold(t *testing.T) {
	needJaeger(t)
	program, err := jaeger.Build(t.Context(), t.Output())
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimPrefix(system.jaeger.URL(), "http://")
	_, err = jaeger.Start(t.Context(), jaeger.Options{Program: program, QueryAddress: address})
	if err == nil || !strings.Contains(err.Error(), address+": bind: address already in use") {
		t.Errorf("the error is %v", err)
	}
}
