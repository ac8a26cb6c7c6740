package explain

import (
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// Chain is the way of one hostname of one Certificate.
type Chain struct {
	// Certificate and Gateway are "namespace/name"; Gateway is empty where the
	// Certificate names none.
	Certificate string `json:"certificate"`
	Gateway     string `json:"gateway,omitempty"`
	// Hostname is as the Certificate spells it; empty where it has none.
	Hostname string `json:"hostname,omitempty"`
	// Listener is the one that it has or is to have.
	Listener gatewayv1.SectionName `json:"listener,omitempty"`
	// FirstBroken is the first link that does not hold; empty if all do.
	FirstBroken Step `json:"firstBroken,omitempty"`
	// FirstUnknown is the first link that cannot be told; empty if all can.
	FirstUnknown Step   `json:"firstUnknown,omitempty"`
	Links        []Link `json:"links"`
}

// Holds reports whether each link is known to hold.
func (c Chain) Holds() bool { return c.FirstBroken == "" && c.FirstUnknown == "" }

// found is what a step finds.
type found struct {
	state  State
	reason string
	detail string
}

func holds(detail string) found { return found{state: OK, detail: detail} }

// steps are taken in this order. One that is alone is looked at whatever comes
// before it, because nothing before bears on it. Behind a link that does not hold
// no other is reached; one that cannot be told blocks only where the others
// could not be judged without it.
var steps = []struct {
	step   Step
	look   func(*wish) found
	alone  bool
	blocks bool
}{
	{step: StepCertificate, look: (*wish).certificateIsThere, alone: true},
	{step: StepLabel, look: (*wish).label, alone: true},
	{step: StepGateway, look: (*wish).gatewayIsThere, blocks: true},
	{step: StepNotPaused, look: (*wish).notPaused},
	{step: StepNotDryRun, look: (*wish).notDryRun},
	{step: StepOrigin, look: (*wish).origin},
	{step: StepAnnotations, look: (*wish).annotations},
	{step: StepNamespace, look: (*wish).namespaceMayAttach, blocks: true},
	{step: StepSecretName, look: (*wish).secretName},
	{step: StepHostname, look: (*wish).hostnameIsValid, alone: true},
	{step: StepAllowedHostname, look: (*wish).hostnameIsAllowed},
	{step: StepPort, look: refusable(StepPort)},
	{step: StepRules, look: refusable(StepRules)},
	{step: StepNoRival, look: (*wish).noRival},
	{step: StepAttach, look: refusable(StepAttach)},
	{step: StepRoom, look: refusable(StepRoom)},
	{step: StepAdmission, look: refusable(StepAdmission)},
	{step: StepListener, look: (*wish).listenerStands},
	{step: StepReferenceGrant, look: (*wish).granted},
	{step: StepController, look: (*wish).controllerHasTaken},
	{step: StepCertificateReady, look: (*wish).certificateIsReady, alone: true},
}

// chain looks at each link.
func (w *wish) chain() Chain {
	c := Chain{Certificate: w.name.String(), Hostname: w.dnsName}
	if w.target != (types.NamespacedName{}) {
		c.Gateway = w.target.String()
	}
	if w.listener != nil {
		c.Listener = w.listener.Name
	}
	blocked := false
	for _, s := range steps {
		f := found{state: NotReached}
		if !blocked || s.alone {
			f = s.look(w)
		}
		if f.state == Broken && c.FirstBroken == "" {
			c.FirstBroken = s.step
		}
		if f.state == Unknown && c.FirstUnknown == "" {
			c.FirstUnknown = s.step
		}
		blocked = blocked || f.state == Broken || f.state == Unknown && s.blocks
		c.Links = append(c.Links, Link{Step: s.step, State: f.state, Reason: f.reason, Detail: f.detail, Remedy: w.wayOut(f.reason)})
	}
	return c
}
