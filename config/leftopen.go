package config

import (
	"encoding/json"
	"errors"
)

// leftOpen refuses keys without anything in them that would decode to the
// absence of a safeguard which somebody meant to have.
func leftOpen(asJSON []byte) error {
	var file struct {
		Authentication json.RawMessage `json:"authentication"`
		Rules          json.RawMessage `json:"rules"`
		Tests          json.RawMessage `json:"tests"`
		Telemetry      struct {
			OAuth2 json.RawMessage `json:"oauth2"`
		} `json:"telemetry"`
	}
	if err := json.Unmarshal(asJSON, &file); err != nil {
		return err
	}
	var faults []error
	if string(file.Authentication) == "null" {
		faults = append(faults, errors.New("authentication is left open: fill it in, or leave the key out to take everybody's events"))
	}
	if string(file.Telemetry.OAuth2) == "null" {
		faults = append(faults, errors.New("telemetry.oauth2 is left open: fill it in, or leave the key out to show no token"))
	}
	if string(file.Rules) == "null" {
		faults = append(faults, errors.New("rules is left open: write some, or leave the key out to have none"))
	}
	if string(file.Tests) == "null" {
		faults = append(faults, errors.New("tests is left open: write some, or leave the key out to have none"))
	}
	return errors.Join(faults...)
}
