package telemetry

import (
	"cmp"
	"fmt"
	"strconv"
	"time"
)

// patience is how long a signal's backend is waited for: request bounds one
// request, its connection included, and export a batch with all its tries.
type patience struct{ request, export time.Duration }

// exportTimeoutVariables are those of the SDK of each signal.
var exportTimeoutVariables = map[signal]string{
	traces:  "OTEL_BSP_EXPORT_TIMEOUT",
	metrics: "OTEL_METRIC_EXPORT_TIMEOUT",
	logs:    "OTEL_BLRP_EXPORT_TIMEOUT",
}

// patience is what the variables say; validate has looked at them. Where they say
// one of the two, the other's default gives way to it: many set no more than the
// timeout of a request, and OpenTelemetry's own default for that is 10 s.
func (env environment) patience(s signal) patience {
	_, text := env.otlp(s, "TIMEOUT")
	request, export := duration(text), duration(env(exportTimeoutVariables[s]))
	p := patience{cmp.Or(request, requestTimeout), cmp.Or(export, exportTimeout)}
	switch {
	case export == 0:
		p.export = max(p.export, p.request)
	case request == 0:
		p.request = min(p.request, p.export)
	}
	return p
}

// checkPatience refuses a request that may take longer than its batch.
func (env environment) checkPatience(s signal) error {
	variable, request := env.otlp(s, "TIMEOUT")
	batch := exportTimeoutVariables[s]
	if export := env(batch); export != "" && duration(request) > duration(export) {
		return fmt.Errorf("%s=%s is longer than %s=%s: a request would be cut off; raise the latter or leave it out", variable, request, batch, export)
	}
	return nil
}

// duration returns 0 where nothing is set.
func duration(value string) time.Duration {
	n, _ := strconv.Atoi(value) // which has been checked
	return time.Duration(n) * time.Millisecond
}
