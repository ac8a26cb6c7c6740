// Package config holds the handler's settings: what the people who run it say
// once for the whole cluster, in a file.
package config

import (
	"reflect"
	"strconv"

	"gateway-cert-operator.io/gateway-cert-handler/config/policytest"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// What a settings file has to begin with.
const (
	APIVersion = plan.KeyPrefix + "v1alpha1"
	Kind       = "HandlerConfig"
)

// HandlerConfig is what a settings file holds. The zero value is what holds
// without a file: the contract's own defaults. The comments on settings and their
// tags are also what docs/settings.schema.json says of them.
type HandlerConfig struct {
	// APIVersion is gateway-cert-operator.io/v1alpha1.
	APIVersion string `json:"apiVersion" jsonschema:"enum=gateway-cert-operator.io/v1alpha1"`
	// Kind is HandlerConfig.
	Kind string `json:"kind" jsonschema:"enum=HandlerConfig"`
	// Defaults hold on every Gateway whose owner has not said otherwise.
	Defaults Defaults `json:"defaults,omitzero"`
	// Delivery is how the handler deals with what reaches it, and with what does not.
	Delivery Delivery `json:"delivery,omitzero"`
	// Trust says which authorities are trusted for what leaves the handler, beside
	// those that the system knows.
	Trust Trust `json:"trust,omitzero"`
	// Telemetry is what the OTEL_* variables have no word for.
	Telemetry Telemetry `json:"telemetry,omitzero"`
	// Outcomes is how others are told what runs came to.
	Outcomes Outcomes `json:"outcomes,omitzero"`
	// Authentication says whose events are taken. Without it everybody's are.
	Authentication *Authentication `json:"authentication,omitempty"`
	// Mode is Apply, which holds where it is absent, or DryRun: on no Gateway is
	// anything written.
	Mode plan.Mode `json:"mode,omitempty" jsonschema:"enum=Apply,enum=DryRun"`
	// Rules are conditions on listeners, beside what Gateways' owners say.
	Rules []Rule `json:"rules,omitempty"`
	// Tests are run whenever the settings are read, and have to hold.
	Tests []policytest.Test `json:"tests,omitempty"`

	rules plan.Rules // compiled by [Load]
}

// Defaults hold on every Gateway whose owner has not said otherwise. Each key is
// optional, and strings are spelled as the annotation of the same name.
type Defaults struct {
	// CertificateNamespaces stands in for the annotation certificate-namespaces of
	// a Gateway: Same, All, or Selector: and a label selector on namespaces.
	CertificateNamespaces string `json:"certificateNamespaces,omitempty" jsonschema:"pattern=^(Same|All|Selector:.+)$"`
	// AllowedHostnames stands in for the annotation allowed-hostnames of a Gateway:
	// hostnames and *. patterns, separated by commas.
	AllowedHostnames string `json:"allowedHostnames,omitempty"`
	// AllowedRoutes stands in where neither the Gateway nor the Certificate has the
	// annotation allowed-routes: All, Same, CertificateNamespace, or Selector: and
	// a label selector on namespaces.
	AllowedRoutes string `json:"allowedRoutes,omitempty" jsonschema:"pattern=^(All|Same|CertificateNamespace|Selector:.+)$"`

	// Pointers, because a 0 that somebody wrote is a fault and not the default.

	// ListenerPort stands in for the annotation listener-port of a Gateway.
	ListenerPort *int `json:"listenerPort,omitempty" jsonschema:"minimum=1,maximum=65535"`
	// MaxListeners stands in for the annotation max-listeners of a Gateway.
	MaxListeners *int `json:"maxListeners,omitempty" jsonschema:"minimum=0"`
	// Attach stands in for the annotation attach of a Gateway: Always, or WhenReady
	// to wait until a Certificate has been issued.
	Attach string `json:"attach,omitempty" jsonschema:"enum=Always,enum=WhenReady"`
}

// Outcomes is how others are told what runs came to, besides what the environment
// says. Each key is optional.
type Outcomes struct {
	// Reply has the answer to an event carry an outcome of it, for a Broker that
	// hands answers on.
	Reply bool `json:"reply,omitempty"`
}

// GatewayDefaults are the defaults as the planner takes them, with the mode and the
// rules.
func (c HandlerConfig) GatewayDefaults() plan.Defaults {
	return plan.Defaults{
		CertificateNamespaces: c.Defaults.CertificateNamespaces,
		AllowedHostnames:      c.Defaults.AllowedHostnames,
		AllowedRoutes:         c.Defaults.AllowedRoutes,
		ListenerPort:          decimal(c.Defaults.ListenerPort),
		MaxListeners:          decimal(c.Defaults.MaxListeners),
		Attach:                c.Defaults.Attach,
		Mode:                  c.Mode,
		Rules:                 c.rules,
	}
}

// SameAs reports whether two settings say the same.
func (c HandlerConfig) SameAs(other HandlerConfig) bool {
	c.rules, other.rules = nil, nil // what is compiled is never equal
	return reflect.DeepEqual(c, other)
}

// decimal spells a number as an annotation would, and an absent one as "".
func decimal(number *int) string {
	if number == nil {
		return ""
	}
	return strconv.Itoa(*number)
}
