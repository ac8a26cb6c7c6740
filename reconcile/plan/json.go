package plan

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/types"
)

// MarshalJSON gives a change the one form that logs and outputs share, with the
// Certificate as "namespace/name".
func (c Change) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Action      Action   `json:"action"`
		Listener    string   `json:"listener"`
		Hostname    string   `json:"hostname,omitempty"`
		Certificate string   `json:"certificate"`
		Fields      []string `json:"fields,omitempty"`
	}{c.Action, string(c.Listener), string(c.Hostname), c.Certificate.String(), c.Fields})
}

// MarshalJSON gives a rejection the one form that logs and outputs share, with
// the Certificate as "namespace/name".
func (r Rejection) MarshalJSON() ([]byte, error) {
	certificate := ""
	if r.Certificate != (types.NamespacedName{}) {
		certificate = r.Certificate.String()
	}
	return json.Marshal(struct {
		Reason      Reason `json:"reason"`
		Certificate string `json:"certificate,omitempty"`
		Hostname    string `json:"hostname,omitempty"`
		Listener    string `json:"listener,omitempty"`
		Message     string `json:"message"`
	}{r.Reason, certificate, r.Hostname, string(r.Listener), r.Message})
}
