package telemetry

import (
	"testing"
	"time"
)

func TestOfTwoTimeoutsTheOneThatIsNotSetGivesWay(t *testing.T) {
	for _, tc := range []struct {
		name, request, export string
		want                  patience
	}{
		{"none is set", "", "", patience{2500 * time.Millisecond, 10 * time.Second}},
		{"a request's, within a batch's default", "10000", "", patience{10 * time.Second, 10 * time.Second}},
		{"a request's, above a batch's default", "30000", "", patience{30 * time.Second, 30 * time.Second}},
		{"a batch's, above a request's default", "", "60000", patience{2500 * time.Millisecond, time.Minute}},
		{"a batch's, below a request's default", "", "1000", patience{time.Second, time.Second}},
		{"both", "20000", "60000", patience{20 * time.Second, time.Minute}},
	} {
		for s, variable := range exportTimeoutVariables {
			t.Run(tc.name+" for "+string(s), func(t *testing.T) {
				env := everything()
				env["OTEL_EXPORTER_OTLP_TIMEOUT"], env[variable] = tc.request, tc.export
				if _, err := lookUpIn(env).validate(); err != nil {
					t.Fatal(err)
				}
				if got := lookUpIn(env).patience(s); got != tc.want {
					t.Errorf("patience is %v, want %v", got, tc.want)
				}
			})
		}
	}
}

func TestARequestThatMayTakeLongerThanItsBatchIsRefused(t *testing.T) {
	env := everything()
	env["OTEL_EXPORTER_OTLP_TIMEOUT"] = "30000"
	env["OTEL_EXPORTER_OTLP_LOGS_TIMEOUT"] = "5000"
	env["OTEL_BSP_EXPORT_TIMEOUT"], env["OTEL_BLRP_EXPORT_TIMEOUT"] = "10000", "5000"
	const want = "OTEL_EXPORTER_OTLP_TIMEOUT=30000 is longer than OTEL_BSP_EXPORT_TIMEOUT=10000: a request would be cut off; raise the latter or leave it out"
	if _, err := lookUpIn(env).validate(); err == nil || err.Error() != want {
		t.Errorf("error = %v, want %s", err, want)
	}
	env["OTEL_EXPORTER_OTLP_TRACES_TIMEOUT"] = "10000"
	if _, err := lookUpIn(env).validate(); err != nil {
		t.Errorf("error = %v, want none where the signal's own timeout is no longer", err)
	}
}
