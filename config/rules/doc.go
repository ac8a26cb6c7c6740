// Package rules compiles the expressions of the settings' rules, which are in the
// Common Expression Language (https://cel.dev).
//
// It is a package of its own because the language takes more room and time than
// the handler has for it by default: whoever wants rules hands [Compile] to
// config.WithRules.
package rules
