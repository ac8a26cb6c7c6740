package plan

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/types"
)

// MarshalJSON gives a change the one form that logs and outputs share, with the
// Certificate as "namespace/name".
func (c Change) MarshalJSON() ([]byte, error) {
	impact, why := c.Impact()
	return json.Marshal(struct {
		Action       Action   `json:"action"`
		Listener     string   `json:"listener"`
		Hostname     string   `json:"hostname,omitempty"`
		Certificate  string   `json:"certificate"`
		Fields       []string `json:"fields,omitempty"`
		Restored     bool     `json:"restored,omitempty"`
		Impact       Impact   `json:"impact"`
		ImpactReason string   `json:"impactReason"`
	}{c.Action, string(c.Listener), string(c.Hostname), c.Certificate.String(), c.Fields, c.Restored, impact, why})
}

// MarshalJSON gives a finding the one form that logs and outputs share, with
// the Certificate as "namespace/name".
func (f Finding) MarshalJSON() ([]byte, error) {
	certificate := ""
	if f.Certificate != (types.NamespacedName{}) {
		certificate = f.Certificate.String()
	}
	return json.Marshal(struct {
		Reason      Reason `json:"reason"`
		Certificate string `json:"certificate,omitempty"`
		Hostname    string `json:"hostname,omitempty"`
		Listener    string `json:"listener,omitempty"`
		Message     string `json:"message"`
	}{f.Reason, certificate, f.Hostname, string(f.Listener), f.Message})
}
