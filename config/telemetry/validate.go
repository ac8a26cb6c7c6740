package telemetry

import (
	"fmt"
	"strings"
	"time"
)

// A check says what is wrong with a value. It quotes none that may hold a secret.
type check func(value string) error

// setting is a variable and what its value must be.
type setting struct {
	variable string
	check    check
}

// otlpSettings are the settings of the exporters, each by the end of its
// variables' names: see [environment.otlp]. Files of certificates are not among
// them: they may change while the process runs, and are read when they are needed.
//
// Without these checks the SDK (v1.47) would go on with a default instead, and
// would at best say so in a line of its own.
var otlpSettings = []setting{
	{"PROTOCOL", oneOf("http/protobuf")},
	{"ENDPOINT", collectorURL},
	{"INSECURE", anyCase(oneOf("true", "false"))},
	{"HEADERS", headers},
	{"COMPRESSION", oneOf("gzip", "none")},
	{"TIMEOUT", wholeNumber(1, int(MaxRequestTimeout/time.Millisecond))},
}

// commonSettings hold for whatever is exported.
var commonSettings = []setting{
	{"OTEL_SERVICE_NAME", text},
	{"OTEL_RESOURCE_ATTRIBUTES", resourceAttributes},
	{"OTEL_ATTRIBUTE_COUNT_LIMIT", integer},
	{"OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", integer},
}

// signalSettings are those of one signal's SDK.
var signalSettings = map[signal][]setting{
	traces: {
		{"OTEL_TRACES_SAMPLER", anyCase(oneOf("always_on", "always_off", "traceidratio",
			"parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio"))},
		{"OTEL_TRACES_SAMPLER_ARG", ratio},
		{"OTEL_BSP_SCHEDULE_DELAY", milliseconds},
		{"OTEL_BSP_EXPORT_TIMEOUT", milliseconds},
		{"OTEL_BSP_MAX_QUEUE_SIZE", items},
		{"OTEL_BSP_MAX_EXPORT_BATCH_SIZE", items},
		{"OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", integer},
		{"OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT", integer},
		{"OTEL_SPAN_EVENT_COUNT_LIMIT", integer},
		{"OTEL_SPAN_LINK_COUNT_LIMIT", integer},
		{"OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT", integer},
		{"OTEL_LINK_ATTRIBUTE_COUNT_LIMIT", integer},
	},
	metrics: {
		{"OTEL_METRIC_EXPORT_INTERVAL", milliseconds},
		{"OTEL_METRIC_EXPORT_TIMEOUT", milliseconds},
		{"OTEL_METRICS_EXEMPLAR_FILTER", anyCase(oneOf("always_on", "always_off", "trace_based"))},
		{"OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", anyCase(oneOf("cumulative", "delta", "lowmemory"))},
		{"OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION",
			anyCase(oneOf("explicit_bucket_histogram", "base2_exponential_bucket_histogram"))},
	},
	logs: {
		{"OTEL_BLRP_SCHEDULE_DELAY", milliseconds},
		{"OTEL_BLRP_EXPORT_TIMEOUT", milliseconds},
		{"OTEL_BLRP_MAX_QUEUE_SIZE", items},
		{"OTEL_BLRP_MAX_EXPORT_BATCH_SIZE", items},
		{"OTEL_LOGRECORD_ATTRIBUTE_COUNT_LIMIT", integer},
		{"OTEL_LOGRECORD_ATTRIBUTE_VALUE_LENGTH_LIMIT", integer},
	},
}

// validate returns the signals that are to be exported, or an error that names
// the first variable that cannot be obeyed. What bears on no such signal is not
// looked at.
func (env environment) validate() ([]signal, error) {
	wanted, err := env.wanted()
	if err != nil || len(wanted) == 0 {
		return nil, err
	}
	for _, s := range commonSettings {
		if err := s.of(s.variable, env(s.variable)); err != nil {
			return nil, err
		}
	}
	for _, s := range wanted {
		if err := env.validateSignal(s); err != nil {
			return nil, err
		}
	}
	return wanted, nil
}

func (env environment) validateSignal(s signal) error {
	for _, setting := range otlpSettings {
		if err := setting.of(env.otlp(s, setting.variable)); err != nil {
			return err
		}
	}
	for _, setting := range signalSettings[s] {
		if err := setting.of(setting.variable, env(setting.variable)); err != nil {
			return err
		}
	}
	if err := env.checkPatience(s); err != nil {
		return err
	}
	return env.checkSecurity(s)
}

func (s setting) of(variable, value string) error {
	if value == "" {
		return nil
	}
	if err := s.check(value); err != nil {
		return fmt.Errorf("%s %w", variable, err)
	}
	return nil
}

// checkSecurity refuses what contradicts the endpoint's scheme, and half a pair
// of files. Of INSECURE the SDK would otherwise send in clear what was to go to
// an https URL.
func (env environment) checkSecurity(s signal) error {
	certificate, key := env.clientCertificate(s)
	if (env(certificate) == "") != (env(key) == "") {
		return fmt.Errorf("of %s and %s only one is set", certificate, key)
	}
	if err := env.checkInsecure(s); err != nil {
		return err
	}
	return env.checkFiles(s)
}

func (env environment) checkInsecure(s signal) error {
	variable, endpoint := env.endpoint(s)
	name, insecure := env.otlp(s, "INSECURE")
	switch {
	case insecure == "" || strings.EqualFold(insecure, "true") == isPlain(endpoint):
		return nil
	case env(variable) == "":
		return fmt.Errorf("%s contradicts %s, where %s go as %s is not set: set that to http://localhost:4318, and leave %s out",
			name, endpoint, s, variable, name)
	}
	scheme, _, _ := strings.Cut(strings.ToLower(endpoint), ":")
	return fmt.Errorf("%s contradicts %s, whose scheme is %s: leave it out", name, variable, scheme)
}

// checkFiles refuses files for TLS that cannot be used. One that is for all
// signals may be for another than one that has an endpoint of its own.
func (env environment) checkFiles(s signal) error {
	variable, endpoint := env.endpoint(s)
	if !isPlain(endpoint) {
		return nil
	}
	for _, suffix := range []string{"CERTIFICATE", "CLIENT_CERTIFICATE"} {
		name, value := env.otlp(s, suffix)
		if value == "" || name == general(suffix) && variable != general("ENDPOINT") {
			continue
		}
		return fmt.Errorf("%s is set, but the scheme of %s is http", name, variable)
	}
	return nil
}
