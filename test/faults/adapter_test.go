package faults

import (
	"fmt"
	"maps"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// The adapter tells nothing of what changed while it did not run, and so nobody
// does.
func TestD05WhatChangedWhileNoAdapterRanIsPutRightByOneSweep(t *testing.T) {
	needOrder(t)
	s, m := newSite(t, 3), newMarker(t)
	s.createMany(9, nil) // edge-0 has c000, c003, c006, edge-1 c001, …
	m.certificatesArrive()
	s.checkExact()

	must(t, system.StopAdapters())
	restarted := false
	t.Cleanup(func() {
		if !restarted {
			must(t, system.StartAdapters(system.ctx))
		}
	})
	_, err := s.Certificates.Create(t.Context(), newCertificate("created", gatewayName(0)), metav1.CreateOptions{})
	must(t, err)
	s.patchCertificate("c000", `{"spec":{"dnsNames":["changed.example.com","*.changed.example.com"]}}`)
	s.patchCertificate("c003", `{"spec":{"secretName":"changed"}}`)
	s.deleteCertificate("c006")
	for _, name := range []string{"c001", "c004", "c007"} { // edge-1 loses its last
		s.deleteCertificate(name)
	}
	s.patchCertificate("c002", fmt.Sprintf(`{"metadata":{"labels":{%q:null}}}`, plan.GatewayNameKey))
	s.patchCertificate("c005", fmt.Sprintf(`{"metadata":{"labels":{%q:%q}}}`, plan.GatewayNameKey, gatewayName(0)))
	before := s.resourceVersions()
	must(t, system.StartAdapters(system.ctx))
	restarted = true

	m.certificatesArrive()
	m.gatewaysArrive()
	if after := s.resourceVersions(); !maps.Equal(before, after) {
		t.Errorf("resourceVersions of the Gateways were %v and are %v, want no write before the sweep", before, after)
	}
	sweep(t, system.HandlerURL())
	s.checkExact()
	swept := s.resourceVersions()
	sweep(t, system.HandlerURL())
	if again := s.resourceVersions(); !maps.Equal(swept, again) {
		t.Errorf("resourceVersions of the Gateways were %v and are %v, want no write by a second sweep", swept, again)
	}
}

func (s *site) resourceVersions() map[string]string {
	s.t.Helper()
	versions := map[string]string{}
	for name := range s.owned {
		versions[name] = s.Gateway(name).ResourceVersion
	}
	return versions
}
