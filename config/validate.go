package config

import (
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// validate returns everything that is wrong with settings that could be decoded.
func (c HandlerConfig) validate() field.ErrorList {
	faults := only(field.NewPath("apiVersion"), c.APIVersion, APIVersion)
	faults = append(faults, only(field.NewPath("kind"), c.Kind, Kind)...)
	if c.Mode != "" {
		faults = append(faults, only(field.NewPath("mode"), string(c.Mode), string(plan.ModeApply), string(plan.ModeDryRun))...)
	}
	faults = append(faults, c.GatewayDefaults().Validate(field.NewPath("defaults"))...)
	faults = append(faults, c.Delivery.validate(field.NewPath("delivery"))...)
	faults = append(faults, c.Trust.validate(field.NewPath("trust"))...)
	faults = append(faults, c.Telemetry.validate(field.NewPath("telemetry"))...)
	return append(faults, c.Authentication.validate(field.NewPath("authentication"))...)
}

// only refuses all but some values, and says which those are.
func only(at *field.Path, value string, allowed ...string) field.ErrorList {
	switch {
	case slices.Contains(allowed, value):
		return nil
	case value == "":
		return field.ErrorList{field.Required(at, "write "+strings.Join(allowed, " or "))}
	}
	return field.ErrorList{field.NotSupported(at, value, allowed)}
}

// absolute refuses a path that would depend on where the process was started.
func absolute(at *field.Path, path string) field.ErrorList {
	if !filepath.IsAbs(path) {
		return field.ErrorList{field.Invalid(at, path, "want an absolute path")}
	}
	return nil
}
