package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// variablesInTheCode are those of OpenTelemetry that the telemetry's code names,
// spelled out or by the end of the exporters' names.
func variablesInTheCode(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../config/telemetry/*.go")
	if err != nil {
		t.Fatal(err)
	}
	full, end := regexp.MustCompile(`"(OTEL_[A-Z_]+[A-Z])"`), regexp.MustCompile(`(?:otlp\(s, |\{)"([A-Z_]+)"`)
	var variables []string
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		code, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range full.FindAllStringSubmatch(string(code), -1) {
			variables = append(variables, match[1])
		}
		for _, match := range end.FindAllStringSubmatch(string(code), -1) {
			if !strings.HasPrefix(match[1], "OTEL_") {
				variables = append(variables, "OTEL_EXPORTER_OTLP_"+match[1], "OTEL_EXPORTER_OTLP_TRACES_"+match[1])
			}
		}
	}
	for _, signal := range []string{"TRACES", "METRICS", "LOGS"} {
		variables = append(variables, "OTEL_"+signal+"_EXPORTER")
	}
	slices.Sort(variables)
	return slices.Compact(variables)
}

func TestTheTracingPageListsEveryVariable(t *testing.T) {
	code := variablesInTheCode(t)
	if len(code) < 40 {
		t.Errorf("the code names %v only", code)
	}
	var patterns []*regexp.Regexp
	for _, row := range rows(read(t, "docs", "tracing.md"), "## Where telemetry goes") {
		if !strings.Contains(row[0], "OTEL_") {
			continue
		}
		for _, name := range codes(row[0]) {
			pattern := regexp.MustCompile("^" + strings.ReplaceAll(name, "*", "[A-Z_]+") + "$")
			if !slices.ContainsFunc(code, pattern.MatchString) {
				t.Errorf("nothing in the code is called %s", name)
			}
			patterns = append(patterns, pattern)
		}
	}
	for _, variable := range code {
		if !slices.ContainsFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString(variable) }) {
			t.Errorf("docs/tracing.md does not list %s", variable)
		}
	}
}
