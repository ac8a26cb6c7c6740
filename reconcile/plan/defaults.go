package plan

import (
	"errors"
	"fmt"
)

// Defaults are what holds on every Gateway whose owner has not said otherwise,
// and the rules, which hold whatever he says. Each other field is spelled as the
// annotation of the same name; the zero value is the contract's own default.
type Defaults struct {
	// CertificateNamespaces stands in for [CertificateNamespacesKey].
	CertificateNamespaces string
	// AllowedHostnames stands in for [AllowedHostnamesKey] of a Gateway.
	AllowedHostnames string
	// AllowedRoutes stands in for [AllowedRoutesKey] where neither the Gateway
	// nor the Certificate has one.
	AllowedRoutes string
	// ListenerPort stands in for [ListenerPortKey] of a Gateway.
	ListenerPort string
	// MaxListeners stands in for [MaxListenersKey].
	MaxListeners string
	// Attach stands in for [AttachKey].
	Attach string
	// Rules that each listener of ours has to meet; nil if there are none.
	Rules Rules
}

// Validate returns every fault in the defaults, joined; nil if there is none.
func (d Defaults) Validate() error {
	check := func(key, text string, err error) error {
		if text == "" || err == nil {
			return nil
		}
		return fmt.Errorf("%s is %.64q: %w", key, text, err)
	}
	_, namespacesErr := parseCertificateNamespaces(d.CertificateNamespaces, "")
	_, hostnamesErr := parseAllowedHostnames(d.AllowedHostnames)
	_, routesErr := checkAllowedRoutes(d.AllowedRoutes)
	_, portErr := parsePort(d.ListenerPort)
	_, maxErr := parseMaxListeners(d.MaxListeners)
	_, attachErr := parseAttach(d.Attach)
	return errors.Join(
		check("certificateNamespaces", d.CertificateNamespaces, namespacesErr),
		check("allowedHostnames", d.AllowedHostnames, hostnamesErr),
		check("allowedRoutes", d.AllowedRoutes, routesErr),
		check("listenerPort", d.ListenerPort, portErr),
		check("maxListeners", d.MaxListeners, maxErr),
		check("attach", d.Attach, attachErr),
	)
}
