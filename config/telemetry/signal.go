package telemetry

import (
	"fmt"
	"strings"
)

// signal is one kind of telemetry, by OpenTelemetry's word for it.
type signal string

const (
	traces  signal = "traces"
	metrics signal = "metrics"
	logs    signal = "logs"
)

// environment returns the value of a variable; unset and empty are the same, as
// the OpenTelemetry specification has it.
type environment func(variable string) string

// otlp returns the variable of the exporter that holds for the signal, which is
// its own if that is set and else the general one, with its value.
func (env environment) otlp(s signal, suffix string) (variable, value string) {
	own := general(strings.ToUpper(string(s)) + "_" + suffix)
	if value := env(own); value != "" {
		return own, value
	}
	return general(suffix), env(general(suffix))
}

// general returns the variable of the exporter that is for all signals.
func general(suffix string) string { return "OTEL_EXPORTER_OTLP_" + suffix }

// wanted returns the signals that are to be exported, in a fixed order: those
// that have an endpoint, and those whose exporter is named.
func (env environment) wanted() ([]signal, error) {
	const disabled = "OTEL_SDK_DISABLED"
	switch value := strings.ToLower(env(disabled)); value {
	case "true":
		return nil, nil
	case "", "false":
	default:
		return nil, fmt.Errorf("%s is %q: it must be true or false", disabled, value)
	}
	var all []signal
	for _, s := range []signal{traces, metrics, logs} {
		yes, err := env.wants(s)
		if err != nil {
			return nil, err
		}
		if yes {
			all = append(all, s)
		}
	}
	return all, nil
}

func (env environment) wants(s signal) (bool, error) {
	variable := "OTEL_" + strings.ToUpper(string(s)) + "_EXPORTER"
	switch exporter := env(variable); exporter {
	case "otlp":
		return true, nil
	case "none":
		return false, nil
	case "":
		_, endpoint := env.otlp(s, "ENDPOINT")
		return endpoint != "", nil
	default:
		return false, fmt.Errorf("%s is %q: otlp and none are supported", variable, exporter)
	}
}
