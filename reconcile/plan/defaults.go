package plan

import "k8s.io/apimachinery/pkg/util/validation/field"

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
	// Mode stands in for [ModeKey]. Where it is [ModeDryRun], or cannot be read,
	// it holds on Gateways whose owner says otherwise too. It is no default in the
	// settings, which judge it themselves.
	Mode Mode
	// Rules that each listener of ours has to meet; nil if there are none.
	Rules Rules
}

// Validate returns every fault in the defaults, each under its key below at, which
// may be nil.
func (d Defaults) Validate(at *field.Path) field.ErrorList {
	var faults field.ErrorList
	check := func(key, text string, err error) {
		if text != "" && err != nil {
			faults = append(faults, field.Invalid(at.Child(key), text, err.Error()))
		}
	}
	_, namespacesErr := parseCertificateNamespaces(d.CertificateNamespaces, "")
	check("certificateNamespaces", d.CertificateNamespaces, namespacesErr)
	_, hostnamesErr := parseAllowedHostnames(d.AllowedHostnames)
	check("allowedHostnames", d.AllowedHostnames, hostnamesErr)
	_, routesErr := checkAllowedRoutes(d.AllowedRoutes)
	check("allowedRoutes", d.AllowedRoutes, routesErr)
	_, portErr := parsePort(d.ListenerPort)
	check("listenerPort", d.ListenerPort, portErr)
	_, maxErr := parseMaxListeners(d.MaxListeners)
	check("maxListeners", d.MaxListeners, maxErr)
	_, attachErr := parseAttach(d.Attach)
	check("attach", d.Attach, attachErr)
	return faults
}
