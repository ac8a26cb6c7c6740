//go:build !rules

package main

import "gateway-cert-operator.io/gateway-cert-handler/config"

// settingsOptions leave rules out: docs/settings.md says what they would cost each
// start.
var settingsOptions []config.Option
