package config

import (
	"encoding/json"
	"errors"
)

// leftOpen refuses keys without anything in them that would decode to the
// absence of a safeguard which somebody meant to have.
func leftOpen(asJSON []byte) error {
	var file struct {
		Mode           json.RawMessage `json:"mode"`
		Authentication json.RawMessage `json:"authentication"`
		Telemetry      struct {
			OAuth2 json.RawMessage `json:"oauth2"`
		} `json:"telemetry"`
	}
	if err := json.Unmarshal(asJSON, &file); err != nil {
		return err
	}
	var faults []error
	if text := string(file.Mode); text == "null" || text == `""` {
		faults = append(faults, errors.New("mode is left open: write Apply or DryRun, or leave the key out to apply"))
	}
	if string(file.Authentication) == "null" {
		faults = append(faults, errors.New("authentication is left open: fill it in, or leave the key out to take everybody's events"))
	}
	if string(file.Telemetry.OAuth2) == "null" {
		faults = append(faults, errors.New("telemetry.oauth2 is left open: fill it in, or leave the key out to show no token"))
	}
	return errors.Join(faults...)
}
