package docs

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/otlptranslator"
	"sigs.k8s.io/yaml"

	"gateway-cert-operator.io/gateway-cert-handler/knative"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
)

// instrument is a row of the table of instruments, and what leaves the process.
type instrument struct {
	Kind, Unit string
	Attributes []string
}

func instrumentsOf(points []collector.Point) map[string]instrument {
	found := map[string]instrument{}
	for _, p := range points {
		i := instrument{Kind: "counter", Unit: p.Unit, Attributes: slices.Sorted(maps.Keys(p.Attributes))}
		if len(p.Bounds) > 0 {
			i.Kind = "histogram"
		}
		found[p.Name] = i
	}
	return found
}

// rows returns the cells of the table rows after a heading, the head excluded.
func rows(page, heading string) [][]string {
	_, page, _ = strings.Cut(page, heading+"\n")
	page, _, _ = strings.Cut(page, "\n## ")
	var rows [][]string
	for line := range strings.SplitSeq(page, "\n") {
		if line, ok := strings.CutPrefix(line, "|"); ok {
			rows = append(rows, strings.Split(strings.TrimSuffix(line, "|"), "|"))
		}
	}
	return rows[2:]
}

var quoted = regexp.MustCompile("`([^`]+)`")

// codes are the texts in back quotes, sorted.
func codes(cell string) []string {
	var texts []string
	for _, match := range quoted.FindAllStringSubmatch(cell, -1) {
		texts = append(texts, match[1])
	}
	slices.Sort(texts)
	return texts
}

func instrumentsInTheDocs(t *testing.T) map[string]instrument {
	t.Helper()
	table := map[string]instrument{}
	for _, row := range rows(read(t, "docs", "metrics.md"), "## Instruments") {
		table[codes(row[0])[0]] = instrument{strings.TrimSpace(row[1]), codes(row[2])[0], codes(row[3])}
	}
	return table
}

func TestTheMetricsPageListsEveryInstrument(t *testing.T) {
	if diff := cmp.Diff(instrumentsOf(pointsOfASweep(t)), instrumentsInTheDocs(t)); diff != "" {
		t.Errorf("instruments (-code +docs/metrics.md):\n%s", diff)
	}
}

func TestTheMetricsPageListsEveryAttributeWithItsValues(t *testing.T) {
	verdicts := constantsOf(t, "Verdict", "reconcile", "outcome.go")
	runs := slices.DeleteFunc(slices.Clone(verdicts), func(v string) bool { return v == string(reconcile.Covered) })
	metricsOf := func(typeName string) []string { return constantsOf(t, typeName, "reconcile", "metrics.go") }
	want := map[string][]string{
		"cloudevents.event_type": sorted("other", knative.Ping, knative.ResourceAdd, knative.ResourceUpdate, knative.ResourceDelete,
			knative.ReferenceAdd, knative.ReferenceUpdate, knative.ReferenceDelete),
		"gateway_cert.event.outcome":    sorted(slices.Concat(verdicts, constantsOf(t, "eventOutcome", "handler", "metrics.go"))...),
		"http.response.status_code":     {"204", "400", "401", "403", "503"},
		"gateway_cert.verdict":          runs,
		"gateway_cert.phase":            metricsOf("phase"),
		"gateway_cert.patch.result":     metricsOf("patchResult"),
		"gateway_cert.change.action":    constantsOf(t, "Action", "reconcile", "plan", "change.go"),
		"gateway_cert.rejection.reason": nil, // the page links to the list
		"gateway_cert.sweep.result":     metricsOf("sweepResult"),
		"gateway_cert.sweep.verdict":    metricsOf("sweepVerdict"),
		"gateway_cert.outcome.result":   constantsOf(t, "result", "handler", "outcomes", "metrics.go"),
		"gateway_cert.settings.result":  constantsOf(t, "result", "cmd", "gateway-cert-handler", "notice", "notice.go"),
		"gateway_cert.signal":           constantsOf(t, "signal", "config", "telemetry", "signal.go"),
	}
	got := map[string][]string{}
	for _, row := range rows(read(t, "docs", "metrics.md"), "## Attributes") {
		got[codes(row[0])[0]] = codes(row[1])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("attributes (-code +docs/metrics.md):\n%s", diff)
	}
	used := map[string]bool{}
	for _, i := range instrumentsInTheDocs(t) {
		for _, attribute := range i.Attributes {
			used[attribute] = true
		}
	}
	if diff := cmp.Diff(slices.Sorted(maps.Keys(used)), slices.Sorted(maps.Keys(got))); diff != "" {
		t.Errorf("attributes (-of the instruments +with values):\n%s", diff)
	}
}

func sorted(values ...string) []string { return slices.Sorted(slices.Values(values)) }

// prometheusNames are all words that Prometheus has for our metrics, once it, or
// the collector, has translated them: names of series, and of labels.
func prometheusNames(t *testing.T) map[string]bool {
	t.Helper()
	namer := otlptranslator.NewMetricNamer("", otlptranslator.UnderscoreEscapingWithSuffixes)
	labels := otlptranslator.LabelNamer{}
	names := map[string]bool{}
	for name, i := range instrumentsInTheDocs(t) {
		kind := otlptranslator.MetricType(otlptranslator.MetricTypeMonotonicCounter)
		suffixes := []string{""}
		if i.Kind == "histogram" {
			kind, suffixes = otlptranslator.MetricTypeHistogram, []string{"_bucket", "_sum", "_count"}
		}
		series, err := namer.Build(otlptranslator.Metric{Name: name, Unit: i.Unit, Type: kind})
		if err != nil {
			t.Fatal(err)
		}
		for _, suffix := range suffixes {
			names[series+suffix] = true
		}
		for _, attribute := range i.Attributes {
			label, err := labels.Build(attribute)
			if err != nil {
				t.Fatal(err)
			}
			names[label] = true
		}
	}
	return names
}

// rule is an alert, as Prometheus reads it.
type rule struct {
	Alert, Expr, For    string
	Labels, Annotations map[string]string
}

// ruleFile is what Prometheus reads from a file.
type ruleFile struct {
	Groups []struct {
		Name  string
		Rules []rule
	}
}

func alertRules(t *testing.T) []rule {
	t.Helper()
	var file ruleFile
	if err := yaml.UnmarshalStrict([]byte(read(t, "knative", "components", "observability", "alerts.yaml")), &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Groups) != 1 {
		t.Fatalf("the file has %d groups, want one", len(file.Groups))
	}
	return file.Groups[0].Rules
}

// The page's command, run as a reader would, with a kubectl that shows what it is
// given.
func TestThePagesCommandMakesAPrometheusRuleOfTheAlerts(t *testing.T) {
	_, command, _ := strings.Cut(read(t, "docs", "metrics.md"), "```sh\n")
	command, _, _ = strings.Cut(command, "```")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "kubectl"), []byte("#!/bin/sh\ncat\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	shell := exec.CommandContext(t.Context(), "sh", "-ec", command)
	shell.Dir = filepath.Join("..", "..")
	shell.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
	made, err := shell.Output()
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	var resource struct {
		APIVersion, Kind string
		Metadata         map[string]string
		Spec             ruleFile
	}
	if err := yaml.UnmarshalStrict(made, &resource); err != nil {
		t.Fatalf("%v:\n%s", err, made)
	}
	if resource.APIVersion != "monitoring.coreos.com/v1" || resource.Kind != "PrometheusRule" || len(resource.Spec.Groups) != 1 {
		t.Fatalf("it makes %s %s with %d groups, want a PrometheusRule with one", resource.APIVersion, resource.Kind, len(resource.Spec.Groups))
	}
	if diff := cmp.Diff(alertRules(t), resource.Spec.Groups[0].Rules); diff != "" {
		t.Errorf("rules (-file +PrometheusRule):\n%s", diff)
	}
}

// dashboardQueries are the queries of all panels, by the panel's title.
func dashboardQueries(t *testing.T) map[string]string {
	t.Helper()
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(read(t, "knative", "components", "observability", "dashboard.json")), &dashboard); err != nil {
		t.Fatal(err)
	}
	queries := map[string]string{}
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			queries[panel.Title] += target.Expr + "\n"
		}
	}
	return queries
}

var word = regexp.MustCompile(`gateway_cert_[a-z_]+`)

func TestTheDashboardAndTheAlertsAskForMetricsThatThereAre(t *testing.T) {
	names, queries := prometheusNames(t), dashboardQueries(t)
	for _, r := range alertRules(t) {
		queries[r.Alert] = r.Expr
	}
	for where, query := range queries {
		words := word.FindAllString(query, -1)
		if len(words) == 0 {
			t.Errorf("%s asks for none of our metrics: %s", where, query)
		}
		for _, w := range words {
			if !names[w] {
				t.Errorf("%s asks for %s, which there is not", where, w)
			}
		}
	}
}

func TestTheDashboardShowsEveryInstrument(t *testing.T) {
	all := strings.Join(slices.Collect(maps.Values(dashboardQueries(t))), "")
	for name := range instrumentsInTheDocs(t) {
		if !strings.Contains(all, strings.ReplaceAll(name, ".", "_")) {
			t.Errorf("no panel shows %s", name)
		}
	}
}

func TestEachAlertWaitsAndSaysWhatToDo(t *testing.T) {
	for _, r := range alertRules(t) {
		if r.For == "" || r.Labels["severity"] == "" || r.Annotations["summary"] == "" || r.Annotations["description"] == "" {
			t.Errorf("alert %s lacks a time, a severity, a summary or a description", r.Alert)
		}
	}
}

// A value that nothing has would make an alert that never fires.
func TestTheAlertsCompareWithValuesThatThereAre(t *testing.T) {
	values := map[string][]string{}
	labels := otlptranslator.LabelNamer{}
	for _, row := range rows(read(t, "docs", "metrics.md"), "## Attributes") {
		label, err := labels.Build(codes(row[0])[0])
		if err != nil {
			t.Fatal(err)
		}
		values[label] = codes(row[1])
	}
	matcher := regexp.MustCompile(`(gateway_cert_[a-z_]+)!?="([^"]*)"`)
	for _, r := range alertRules(t) {
		for _, match := range matcher.FindAllStringSubmatch(r.Expr, -1) {
			if !slices.Contains(values[match[1]], match[2]) {
				t.Errorf("alert %s compares %s with %q, which it never is", r.Alert, match[1], match[2])
			}
		}
	}
}
