package config

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// leftOpen refuses keys without anything in them that would decode to the
// absence of a safeguard which somebody meant to have.
func leftOpen(asJSON []byte) field.ErrorList {
	var file struct {
		Mode           json.RawMessage `json:"mode"`
		Authentication json.RawMessage `json:"authentication"`
		Rules          json.RawMessage `json:"rules"`
		Tests          json.RawMessage `json:"tests"`
		Telemetry      struct {
			OAuth2 json.RawMessage `json:"oauth2"`
		} `json:"telemetry"`
	}
	if err := json.Unmarshal(asJSON, &file); err != nil {
		return nil // a list or such in place of everything, of which the decoder has told
	}
	var faults field.ErrorList
	if text := string(file.Mode); text == "null" || text == `""` {
		faults = append(faults, field.Required(field.NewPath("mode"),
			"it is left open: write Apply or DryRun, or leave the key out to apply"))
	}
	if string(file.Authentication) == "null" {
		faults = append(faults, field.Required(field.NewPath("authentication"),
			"it is left open: fill it in, or leave the key out to take everybody's events"))
	}
	if string(file.Telemetry.OAuth2) == "null" {
		faults = append(faults, field.Required(field.NewPath("telemetry", "oauth2"),
			"it is left open: fill it in, or leave the key out to show no token"))
	}
	for key, raw := range map[string]json.RawMessage{"rules": file.Rules, "tests": file.Tests} {
		if string(raw) == "null" {
			faults = append(faults, field.Required(field.NewPath(key), "it is left open: write some, or leave the key out to have none"))
		}
	}
	return faults
}
