package main

import (
	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// report is what people and programs are shown: the decision, and what has been
// done of it.
type report struct {
	// Applied is set when the command was to act.
	Applied  bool             `json:"applied"`
	Gateways []*gatewayReport `json:"gateways"`
}

type gatewayReport struct {
	Namespace    string              `json:"namespace"`
	Name         string              `json:"name"`
	Missing      bool                `json:"missing,omitempty"`
	Certificates []certificateReport `json:"certificates,omitempty"`
	Listeners    []listenerReport    `json:"listeners,omitempty"`
}

type certificateReport struct {
	Namespace string            `json:"namespace"`
	Name      string            `json:"name"`
	State     string            `json:"state"`
	Labels    map[string]string `json:"labels,omitempty"`
	Detail    string            `json:"detail,omitempty"`

	resourceVersion string
}

type listenerReport struct {
	Name        gatewayv1.SectionName `json:"name"`
	Hostname    gatewayv1.Hostname    `json:"hostname,omitempty"`
	State       string                `json:"state"`
	Certificate string                `json:"certificate,omitempty"`
	Detail      string                `json:"detail,omitempty"`
}

// States of Certificates.
const (
	stateToLabel  = "ToLabel"
	stateLabelled = "Labelled"
	stateUnusable = "Unusable" // what the annotation says cannot be a label
)

// States of listeners, beside plan's fates.
const (
	stateStays   = "StaleStays"
	stateRemoved = "Removed"
)

func reportOf(migrations []plan.Migration) report {
	r := report{Gateways: []*gatewayReport{}}
	for _, m := range migrations {
		of := &gatewayReport{Namespace: m.Gateway.Namespace, Name: m.Gateway.Name, Missing: m.Missing}
		for _, u := range m.Certificates {
			of.Certificates = append(of.Certificates, certificateReportOf(u))
		}
		for _, l := range m.Listeners {
			of.Listeners = append(of.Listeners, listenerReportOf(l))
		}
		r.Gateways = append(r.Gateways, of)
	}
	return r
}

func certificateReportOf(u plan.Unlabelled) certificateReport {
	c := certificateReport{
		Namespace: u.Certificate.Namespace, Name: u.Certificate.Name,
		State: stateToLabel, Labels: u.Labels, Detail: u.Why, resourceVersion: u.ResourceVersion,
	}
	if u.Labels == nil {
		c.State = stateUnusable
	}
	return c
}

func listenerReportOf(l plan.LeftListener) listenerReport {
	shown := listenerReport{Name: l.Name, Hostname: l.Hostname, State: string(l.Fate), Detail: l.Why}
	if l.Certificate != (types.NamespacedName{}) {
		shown.Certificate = l.Certificate.String()
	}
	if l.Stays != "" {
		shown.State, shown.Detail = stateStays, l.Stays
	}
	return shown
}

// gateway returns the Gateway's part; nil if there is nothing to say of it.
func (r *report) gateway(name types.NamespacedName) *gatewayReport {
	for _, of := range r.Gateways {
		if of.Namespace == name.Namespace && of.Name == name.Name {
			return of
		}
	}
	return nil
}

// stale returns the listeners that are to go.
func (of *gatewayReport) stale() []gatewayv1.SectionName {
	var names []gatewayv1.SectionName
	for _, l := range of.Listeners {
		if l.State == string(plan.Stale) {
			names = append(names, l.Name)
		}
	}
	return names
}

// removed notes that they are gone.
func (of *gatewayReport) removed() {
	for i := range of.Listeners {
		if of.Listeners[i].State == string(plan.Stale) {
			of.Listeners[i].State = stateRemoved
		}
	}
}

// certificates returns how many are in a state.
func (r *report) certificates(state string) (n int) {
	for _, of := range r.Gateways {
		for _, c := range of.Certificates {
			if c.State == state {
				n++
			}
		}
	}
	return n
}

// listeners returns how many are in a state.
func (r *report) listeners(state string) (n int) {
	for _, of := range r.Gateways {
		for _, l := range of.Listeners {
			if l.State == state {
				n++
			}
		}
	}
	return n
}

// pending is how many things there are still to do.
func (r *report) pending() int {
	return r.certificates(stateToLabel) + r.listeners(string(plan.Stale))
}
