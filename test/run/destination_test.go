package main

import "testing"

func TestTracesGoWhereTheEnvironmentSays(t *testing.T) {
	for name, tc := range map[string]struct {
		env  map[string]string
		want destination
	}{
		"nothing is set":                 {nil, terminalHere},
		"TRACES is empty":                {map[string]string{"TRACES": ""}, terminalHere},
		"TRACES is jaeger":               {map[string]string{"TRACES": "jaeger"}, jaegerHere},
		"there is an endpoint":           {map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"}, elsewhere},
		"traces are off":                 {map[string]string{"OTEL_TRACES_EXPORTER": "none"}, elsewhere},
		"a sampler, which says no place": {map[string]string{"OTEL_TRACES_SAMPLER": "always_on"}, terminalHere},
		"a sampler and Jaeger":           {map[string]string{"OTEL_TRACES_SAMPLER": "always_on", "TRACES": "jaeger"}, jaegerHere},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readDestination(lookupIn(tc.env))
			if err != nil {
				t.Fatal(err)
			}
			if got != tc.want {
				t.Errorf("destination %d, want %d", got, tc.want)
			}
		})
	}
}

func TestADestinationThatMakesNoSenseIsOneLine(t *testing.T) {
	for name, tc := range map[string]struct {
		env  map[string]string
		want string
	}{
		"unknown": {
			map[string]string{"TRACES": "zipkin"},
			`TRACES is "zipkin": set it to jaeger, or leave it out to have traces printed here`,
		},
		"two": {
			map[string]string{"TRACES": "jaeger", "OTEL_SDK_DISABLED": "true"},
			"TRACES=jaeger and OTEL_SDK_DISABLED both say where traces go: unset one of them",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := readDestination(lookupIn(tc.env)); err == nil || err.Error() != tc.want {
				t.Errorf("the error is %v, want %s", err, tc.want)
			}
		})
	}
}

func lookupIn(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, set := env[name]
		return value, set
	}
}
