//go:build rules

package main

import (
	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/config/rules"
)

// settingsOptions let the settings have rules in this build.
var settingsOptions = []config.Option{config.WithRules(rules.Compile)}
