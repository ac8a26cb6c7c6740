package view_test

import (
	"strings"
	"testing"

	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/view"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
	"gateway-cert-operator.io/gateway-cert-handler/test/sample"
)

func TestAFindingIsAboutANameHoweverItIsSpelled(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, tc := range []struct {
		told, asked string
		want        bool
	}{
		{"app.example.com", "App.Example.com.", true},
		{"BÜCHER.example", "bücher.example", true},
		{"*", "*", true},
		{long[:256], long, true},
		{"a.example.com", "b.example.com", false},
		{"*", "10.0.0.1", false},
	} {
		f := plan.Finding{Certificate: sample.AppName, Hostname: tc.told}
		if onName, _ := view.About([]plan.Finding{f}, sample.AppName, tc.asked); (len(onName) == 1) != tc.want {
			t.Errorf("%.20q is about %.20q: %v, want %v", tc.told, tc.asked, !tc.want, tc.want)
		}
	}
}

func TestAHostnameServesAsTheGatewayAPIHasIt(t *testing.T) {
	for _, tc := range []struct {
		listener *gatewayv1.Hostname
		hostname gatewayv1.Hostname
		want     bool
	}{
		{nil, "app.example.com", true},
		{new(gatewayv1.Hostname("")), "app.example.com", true},
		{new(gatewayv1.Hostname("app.example.com")), "app.example.com", true},
		{new(gatewayv1.Hostname("*.example.com")), "app.example.com", true},
		{new(gatewayv1.Hostname("*.example.com")), "a.b.example.com", true},
		{new(gatewayv1.Hostname("*.example.com")), "*.example.com", true},
		{new(gatewayv1.Hostname("*.com")), "*.example.com", true},
		{new(gatewayv1.Hostname("*.example.com")), "example.com", false},
		{new(gatewayv1.Hostname("*.example.com")), ".example.com", false},
		{new(gatewayv1.Hostname("*.example.com")), "badexample.com", false},
		{new(gatewayv1.Hostname("app.example.com")), "*.example.com", false},
	} {
		if got := view.Serves(tc.listener, tc.hostname); got != tc.want {
			t.Errorf("%v serves %s: %v, want %v", tc.listener, tc.hostname, got, tc.want)
		}
	}
}

func TestAGapNamesVerbAndResource(t *testing.T) {
	for _, tc := range []struct {
		gap  view.Gap
		want string
	}{
		{view.Gap{Verb: "list", Resource: "gateways.gateway.networking.k8s.io"}, "list gateways.gateway.networking.k8s.io in all namespaces"},
		{view.Gap{Verb: "list", Resource: "gateways.gateway.networking.k8s.io", Namespace: "infra"}, "list gateways.gateway.networking.k8s.io in namespace infra"},
		{view.Gap{Verb: "get", Resource: "gateways.gateway.networking.k8s.io", Namespace: "infra", Name: "edge"}, "get gateways.gateway.networking.k8s.io edge in namespace infra"},
		{view.Gap{Verb: "get", Resource: "namespaces", Name: "team-a"}, "get namespaces team-a"},
	} {
		if got := tc.gap.Right(); got != tc.want {
			t.Errorf("%q, want %q", got, tc.want)
		}
	}
}
