package telemetry

import (
	"slices"
	"strings"
	"testing"
)

// everything exports all signals.
func everything() map[string]string {
	return map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "https://collector:4318"}
}

func lookUpIn(variables map[string]string) environment {
	return func(variable string) string { return variables[variable] }
}

// unusableValues are values of each variable that is checked.
var unusableValues = map[string][]string{
	"OTEL_SDK_DISABLED":                                        {"yes", "1"},
	"OTEL_TRACES_EXPORTER":                                     {"zipkin", "otlp,console", "OTLP"},
	"OTEL_METRICS_EXPORTER":                                    {"prometheus"},
	"OTEL_LOGS_EXPORTER":                                       {"console"},
	"OTEL_EXPORTER_OTLP_PROTOCOL":                              {"grpc", "http/json"},
	"OTEL_EXPORTER_OTLP_LOGS_PROTOCOL":                         {"grpc"},
	"OTEL_EXPORTER_OTLP_ENDPOINT":                              {"collector:4318", "127.0.0.1:4318", "ftp://collector", "http://", "/v1/traces", "http://a b", "unix:///x", "http://:4318", "http://c:65536", "http://c:0", "http://c:", "http://c#", "http://c?", "http://" + strings.Repeat("a", 254)},
	"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT":                      {"collector", "http://user:pass@collector", "http://collector?key=1", "http://collector#x"},
	"OTEL_EXPORTER_OTLP_INSECURE":                              {"yes", "true"}, // the endpoint is https
	"OTEL_EXPORTER_OTLP_HEADERS":                               {"token", "a=1,b", "=1", "a=%zz", "a b=1", "a=1,,b=2", "a=b%0ac"},
	"OTEL_EXPORTER_OTLP_TRACES_HEADERS":                        {"token"},
	"OTEL_EXPORTER_OTLP_COMPRESSION":                           {"zstd", "GZIP"},
	"OTEL_EXPORTER_OTLP_TIMEOUT":                               {"10s", "0", "-1", "300001", "99999999999999999999"},
	"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE":                    {"/tls.crt"}, // without a key
	"OTEL_EXPORTER_OTLP_CLIENT_KEY":                            {"/tls.key"}, // without a certificate
	"OTEL_RESOURCE_ATTRIBUTES":                                 {"no-equals-sign", "a=%zz", "=b", "a=%ff"},
	"OTEL_SERVICE_NAME":                                        {"\xff"},
	"OTEL_ATTRIBUTE_COUNT_LIMIT":                               {"many"},
	"OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT":                        {"1.5"},
	"OTEL_TRACES_SAMPLER":                                      {"sometimes", "jaeger_remote"},
	"OTEL_TRACES_SAMPLER_ARG":                                  {"half", "-0.1", "1.1", "NaN"},
	"OTEL_BSP_SCHEDULE_DELAY":                                  {"1s", "0"},
	"OTEL_BSP_EXPORT_TIMEOUT":                                  {"never"},
	"OTEL_BSP_MAX_QUEUE_SIZE":                                  {"-1", "2000000000"},
	"OTEL_BSP_MAX_EXPORT_BATCH_SIZE":                           {"0"},
	"OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT":                          {"x"},
	"OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT":                   {"x"},
	"OTEL_SPAN_EVENT_COUNT_LIMIT":                              {"x"},
	"OTEL_SPAN_LINK_COUNT_LIMIT":                               {"x"},
	"OTEL_EVENT_ATTRIBUTE_COUNT_LIMIT":                         {"x"},
	"OTEL_LINK_ATTRIBUTE_COUNT_LIMIT":                          {"x"},
	"OTEL_METRIC_EXPORT_INTERVAL":                              {"0", "1m"},
	"OTEL_METRIC_EXPORT_TIMEOUT":                               {"-5"},
	"OTEL_METRICS_EXEMPLAR_FILTER":                             {"sampled"},
	"OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE":        {"sum"},
	"OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION": {"summary"},
	"OTEL_BLRP_SCHEDULE_DELAY":                                 {"1s"},
	"OTEL_BLRP_EXPORT_TIMEOUT":                                 {"1s"},
	"OTEL_BLRP_MAX_QUEUE_SIZE":                                 {"x"},
	"OTEL_BLRP_MAX_EXPORT_BATCH_SIZE":                          {"x"},
	"OTEL_LOGRECORD_ATTRIBUTE_COUNT_LIMIT":                     {"x"},
	"OTEL_LOGRECORD_ATTRIBUTE_VALUE_LENGTH_LIMIT":              {"x"},
}

func TestAValueThatCannotBeObeyedIsAnErrorThatNamesTheVariable(t *testing.T) {
	for variable, values := range unusableValues {
		for _, value := range values {
			t.Run(variable+"="+value, func(t *testing.T) {
				env := everything()
				env[variable] = value
				if _, err := lookUpIn(env).validate(); err == nil || !strings.Contains(err.Error(), variable) || strings.Contains(err.Error(), "\n") {
					t.Errorf("error = %v, want one line that names %s", err, variable)
				}
			})
		}
	}
}

func TestNoCheckIsWithoutATest(t *testing.T) {
	variables := slices.Concat(commonSettings, signalSettings[traces], signalSettings[metrics], signalSettings[logs])
	for _, setting := range otlpSettings {
		setting.variable = "OTEL_EXPORTER_OTLP_" + setting.variable
		variables = append(variables, setting)
	}
	for _, setting := range variables {
		if unusableValues[setting.variable] == nil {
			t.Errorf("no value of %s is tried", setting.variable)
		}
	}
}

func TestEachValueThatTheSDKUnderstandsIsTaken(t *testing.T) {
	for variable, values := range map[string][]string{
		"OTEL_SDK_DISABLED":                                 {"false", "FALSE"},
		"OTEL_TRACES_EXPORTER":                              {"otlp", "none"},
		"OTEL_EXPORTER_OTLP_PROTOCOL":                       {"http/protobuf"},
		"OTEL_EXPORTER_OTLP_ENDPOINT":                       {"https://collector:4318/base", "HTTPS://collector", "https://collector:65535", "https://" + strings.Repeat("a", 253) + ":1"},
		"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT":                  {"http://[::1]:4318/v1/logs"},
		"OTEL_EXPORTER_OTLP_INSECURE":                       {"false", "False"},
		"OTEL_EXPORTER_OTLP_HEADERS":                        {"authorization=Bearer%20a", "a=1, b=2", "a="},
		"OTEL_EXPORTER_OTLP_COMPRESSION":                    {"gzip", "none"},
		"OTEL_EXPORTER_OTLP_TIMEOUT":                        {"1", "300000"},
		"OTEL_RESOURCE_ATTRIBUTES":                          {"a=b,c=d%20e", "a="},
		"OTEL_ATTRIBUTE_COUNT_LIMIT":                        {"-1", "0", "10"},
		"OTEL_TRACES_SAMPLER":                               {"always_on", "Always_Off", "traceidratio", "parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio"},
		"OTEL_TRACES_SAMPLER_ARG":                           {"0", "1", "0.25", "1e-3"},
		"OTEL_BSP_MAX_QUEUE_SIZE":                           {"1", "1048576"},
		"OTEL_METRICS_EXEMPLAR_FILTER":                      {"always_on", "always_off", "trace_based"},
		"OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE": {"cumulative", "delta", "LowMemory"},
	} {
		for _, value := range values {
			t.Run(variable+"="+value, func(t *testing.T) {
				env := everything()
				env[variable] = value
				if _, err := lookUpIn(env).validate(); err != nil {
					t.Errorf("error = %v, want none", err)
				}
			})
		}
	}
}

func TestWhatBearsOnNothingThatIsExportedIsNotLookedAt(t *testing.T) {
	for name, variables := range map[string]map[string]string{
		"nothing is exported":             {"OTEL_TRACES_SAMPLER": "x", "OTEL_EXPORTER_OTLP_HEADERS": "x"},
		"the SDK is disabled":             {"OTEL_SDK_DISABLED": "true", "OTEL_TRACES_EXPORTER": "x", "OTEL_EXPORTER_OTLP_ENDPOINT": "x"},
		"another signal's is exported":    {"OTEL_LOGS_EXPORTER": "otlp", "OTEL_TRACES_SAMPLER": "x", "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "x"},
		"the signal's own variable rules": {"OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/protobuf"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := lookUpIn(variables).validate(); err != nil {
				t.Errorf("error = %v, want none", err)
			}
		})
	}
}

func TestWhichSignalsAreExportedIsTheEnvironmentsWord(t *testing.T) {
	for _, tc := range []struct {
		name      string
		variables map[string]string
		want      []signal
	}{
		{"nothing set", nil, nil},
		{"an endpoint", everything(), []signal{traces, metrics, logs}},
		{"an endpoint of one", map[string]string{"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://c/m"}, []signal{metrics}},
		{"an exporter named", map[string]string{"OTEL_LOGS_EXPORTER": "otlp"}, []signal{logs}},
		{"an endpoint, and one exporter is none", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_TRACES_EXPORTER": "none"}, []signal{metrics, logs}},
		{"the SDK disabled", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_SDK_DISABLED": "True"}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := lookUpIn(tc.variables).validate()
			if err != nil || !slices.Equal(got, tc.want) {
				t.Errorf("signals = %v, %v; want %v", got, err, tc.want)
			}
		})
	}
}

func TestATLSFileForAPlainEndpointIsRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		variables map[string]string
		names     string // in the error; empty: there is none
	}{
		"a file for all signals, and no TLS for all": {
			map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_CERTIFICATE": "/f"}, "OTEL_EXPORTER_OTLP_CERTIFICATE"},
		"a pair for all signals, and no TLS for all": {
			map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE": "/f", "OTEL_EXPORTER_OTLP_CLIENT_KEY": "/k"},
			"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE"},
		"a signal's file, and no TLS for the signal": {
			map[string]string{"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": "http://c/l", "OTEL_EXPORTER_OTLP_LOGS_CERTIFICATE": "/f"}, "OTEL_EXPORTER_OTLP_LOGS_CERTIFICATE"},
		"a signal's file, and no TLS for all": {
			map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_LOGS_CERTIFICATE": "/f"}, "OTEL_EXPORTER_OTLP_LOGS_CERTIFICATE"},
		"a file and a pair for all signals, and no TLS for one": {
			map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "https://c", "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": "http://c/l",
				"OTEL_EXPORTER_OTLP_CERTIFICATE": "/f", "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE": "/f", "OTEL_EXPORTER_OTLP_CLIENT_KEY": "/k"}, ""},
		"a file, and the default's TLS": {
			map[string]string{"OTEL_LOGS_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_CERTIFICATE": "/f"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := lookUpIn(tc.variables).validate()
			if tc.names == "" && err != nil {
				t.Errorf("error = %v, want none", err)
			}
			if tc.names != "" && (err == nil || !strings.Contains(err.Error(), tc.names)) {
				t.Errorf("error = %v, want one that names %s", err, tc.names)
			}
		})
	}
}

func TestInsecureIsRefusedForTheDefaultEndpointToo(t *testing.T) {
	env := map[string]string{"OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_TRACES_INSECURE": "true"}
	const want = "OTEL_EXPORTER_OTLP_TRACES_INSECURE contradicts https://localhost:4318, where traces go as OTEL_EXPORTER_OTLP_ENDPOINT is not set: " +
		"set that to http://localhost:4318, and leave OTEL_EXPORTER_OTLP_TRACES_INSECURE out"
	if _, err := lookUpIn(env).validate(); err == nil || err.Error() != want {
		t.Errorf("error = %v, want %s", err, want)
	}
	env["OTEL_EXPORTER_OTLP_TRACES_INSECURE"] = "false"
	if _, err := lookUpIn(env).validate(); err != nil {
		t.Errorf("error = %v, want none", err)
	}
}

// Whatever is wrong with them, credentials are not quoted.
func FuzzErrorsQuoteNoCredential(f *testing.F) {
	const secret = "hunter2-hunter2"
	for _, value := range []string{"%s", "authorization=Basic %s,", "http://user:%s@host", "http://host:%s/", "a=%%zz%s"} {
		before, after, _ := strings.Cut(value, "%s")
		f.Add(before, after)
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		for _, suffix := range []string{"ENDPOINT", "HEADERS"} {
			env := everything()
			env["OTEL_EXPORTER_OTLP_"+suffix] = before + secret + after
			if _, err := lookUpIn(env).validate(); err != nil && strings.Contains(err.Error(), secret) {
				t.Errorf("the error quotes a credential: %v", err)
			}
		}
	})
}
