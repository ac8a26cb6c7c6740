package plan

import (
	"cmp"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// terms are a Gateway owner's word, and the defaults where there is none.
type terms struct {
	paused bool
	// dryRunBy is whose word it is that nothing be written; empty if nobody's.
	dryRunBy  string
	attaches  func(namespace metav1.ObjectMeta) bool
	hostnames []hostnamePatterns // each must cover a hostname
	// routes is [AllowedRoutesKey]'s text; empty leaves it to the Certificate.
	// Where it cannot be read, routesSlip is set and it is empty.
	routes     string
	routesSlip bool
	// port is for Certificates that name none; portErr is why it cannot be read.
	port    gatewayv1.PortNumber
	portErr error
	// max bounds the number of our listeners.
	max       int
	whenReady bool
	// closed is why nothing may be added to what stands; nil if it may.
	closed *Finding

	findings []Finding
}

func termsOf(in Input) *terms {
	t := &terms{}
	t.paused = read(t, PausedKey, in.say(PausedKey, "false"), parsePaused)
	if t.paused {
		return t
	}
	t.readMode(in)
	t.readNamespaces(in)
	t.readHostnames(in)
	if text, said := in.sayIfAny(AllowedRoutesKey, ""); said {
		t.readRoutes(text)
	}
	t.whenReady = read(t, AttachKey, in.say(AttachKey, cmp.Or(in.Defaults.Attach, valueAlways)), parseAttach)
	t.readPort(in)
	t.readMaxListeners(in)
	t.readPublish(in)
	return t
}

// read parses an annotation, and notes where that fails.
func read[T any](t *terms, key, text string, parse func(string) (T, error)) T {
	value, err := parse(text)
	if err != nil {
		t.findings = append(t.findings, malformed(key, text, err))
	}
	return value
}

// sayIfAny returns the Gateway's annotation, else the default if it is not
// empty. An annotation counts even if it is empty: who wrote it did not mean the
// default.
func (in Input) sayIfAny(key, otherwise string) (text string, said bool) {
	if text, ok := in.Gateway.Annotations[key]; ok {
		return text, true
	}
	return otherwise, otherwise != ""
}

func (in Input) say(key, otherwise string) string {
	text, _ := in.sayIfAny(key, otherwise)
	return text
}

func malformed(key, text string, err error) Finding {
	return Finding{
		Reason:  ReasonMalformedAnnotation,
		Message: fmt.Sprintf("annotation %s is %.64q: %.512s; its strictest reading holds", key, text, err.Error()),
	}
}

// readNamespaces lets a slip in the annotation allow no more than the default.
func (t *terms) readNamespaces(in Input) {
	otherwise := cmp.Or(in.Defaults.CertificateNamespaces, valueSame)
	byDefault, _ := parseCertificateNamespaces(otherwise, in.Gateway.Namespace)
	t.attaches = read(t, CertificateNamespacesKey, in.say(CertificateNamespacesKey, otherwise),
		func(text string) (func(metav1.ObjectMeta) bool, error) {
			said, err := parseCertificateNamespaces(text, in.Gateway.Namespace)
			if err == nil {
				return said, nil
			}
			return func(namespace metav1.ObjectMeta) bool { return said(namespace) && byDefault(namespace) }, err
		})
}

// readHostnames lets a slip in the annotation allow no more than the default.
func (t *terms) readHostnames(in Input) {
	text, said := in.sayIfAny(AllowedHostnamesKey, in.Defaults.AllowedHostnames)
	if !said {
		return
	}
	slips := len(t.findings)
	t.hostnames = []hostnamePatterns{read(t, AllowedHostnamesKey, text, parseAllowedHostnames)}
	if len(t.findings) > slips && in.Defaults.AllowedHostnames != "" {
		byDefault, _ := parseAllowedHostnames(in.Defaults.AllowedHostnames)
		t.hostnames = append(t.hostnames, byDefault)
	}
}

func (t *terms) readRoutes(text string) {
	slips := len(t.findings)
	t.routes = read(t, AllowedRoutesKey, text, checkAllowedRoutes)
	t.routesSlip = len(t.findings) > slips
}

// readPort takes an empty annotation for none: no port is stricter than another.
func (t *terms) readPort(in Input) {
	text := cmp.Or(in.Gateway.Annotations[ListenerPortKey], in.Defaults.ListenerPort)
	if text == "" {
		t.port = DefaultPort
		return
	}
	if t.port, t.portErr = parsePort(text); t.portErr != nil {
		t.portErr = fmt.Errorf("the Gateway's annotation %s is %.64q: %w", ListenerPortKey, text, t.portErr)
		t.findings = append(t.findings, Finding{
			Reason:  ReasonInvalidPort,
			Message: fmt.Sprintf("%v; listeners that stand keep their port, new ones of Certificates that name none wait", t.portErr),
		})
	}
}

// readMaxListeners adds nothing where the annotation cannot be read. 0 would be
// stricter still, but would take off all that serves.
func (t *terms) readMaxListeners(in Input) {
	t.max = maxListeners
	text, said := in.sayIfAny(MaxListenersKey, in.Defaults.MaxListeners)
	if !said {
		return
	}
	most, err := parseMaxListeners(text)
	if err == nil {
		t.max = most
		return
	}
	t.closeTo(Finding{
		Reason:  ReasonMalformedAnnotation,
		Message: fmt.Sprintf("annotation %s is %.64q: %v; until then nothing is added to what stands", MaxListenersKey, text, err),
	})
}

func (t *terms) readPublish(in Input) {
	if text := in.say(PublishKey, valueGateway); text != valueGateway {
		t.closeTo(Finding{
			Reason: ReasonPublishNotSupported,
			Message: fmt.Sprintf("annotation %s is %.64q, and this version knows only %s; until then nothing is added to what stands",
				PublishKey, text, valueGateway),
		})
	}
}

func (t *terms) closeTo(why Finding) {
	t.findings = append(t.findings, why)
	t.closed = &why
}
