// Package config holds the handler's settings: what the people who run it say
// once for the whole cluster, in a file.
package config

import (
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
// without a file: the contract's own defaults.
type HandlerConfig struct {
	APIVersion string    `json:"apiVersion"`
	Kind       string    `json:"kind"`
	Defaults   Defaults  `json:"defaults,omitzero"`
	Delivery   Delivery  `json:"delivery,omitzero"`
	Trust      Trust     `json:"trust,omitzero"`
	Telemetry  Telemetry `json:"telemetry,omitzero"`
	Outcomes   Outcomes  `json:"outcomes,omitzero"`
	// Nil means that everybody's events are taken.
	Authentication *Authentication `json:"authentication,omitempty"`
	// Rules are conditions on listeners, beside what Gateways' owners say.
	Rules []Rule `json:"rules,omitempty"`
	// Tests are run whenever the settings are read, and have to hold.
	Tests []policytest.Test `json:"tests,omitempty"`

	rules plan.Rules // compiled by [Load]
}

// Defaults hold on every Gateway whose owner has not said otherwise. Each key is
// optional, and strings are spelled as the annotation of the same name.
type Defaults struct {
	CertificateNamespaces string `json:"certificateNamespaces,omitempty"`
	AllowedHostnames      string `json:"allowedHostnames,omitempty"`
	AllowedRoutes         string `json:"allowedRoutes,omitempty"`
	// Pointers, because a 0 that somebody wrote is a fault and not the default.
	ListenerPort *int   `json:"listenerPort,omitempty"`
	MaxListeners *int   `json:"maxListeners,omitempty"`
	Attach       string `json:"attach,omitempty"`
}

// Outcomes is how others are told what runs came to, besides what the environment
// says. Each key is optional.
type Outcomes struct {
	// Reply has the answer to an event carry an outcome of it, for a Broker that
	// hands answers on.
	Reply bool `json:"reply,omitempty"`
}

// GatewayDefaults are the defaults as the planner takes them, with the rules.
func (c HandlerConfig) GatewayDefaults() plan.Defaults {
	return plan.Defaults{
		CertificateNamespaces: c.Defaults.CertificateNamespaces,
		AllowedHostnames:      c.Defaults.AllowedHostnames,
		AllowedRoutes:         c.Defaults.AllowedRoutes,
		ListenerPort:          decimal(c.Defaults.ListenerPort),
		MaxListeners:          decimal(c.Defaults.MaxListeners),
		Attach:                c.Defaults.Attach,
		Rules:                 c.rules,
	}
}

// decimal spells a number as an annotation would, and an absent one as "".
func decimal(number *int) string {
	if number == nil {
		return ""
	}
	return strconv.Itoa(*number)
}
