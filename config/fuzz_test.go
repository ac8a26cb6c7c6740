package config_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"gateway-cert-operator.io/gateway-cert-handler/config"
)

// lineBreak ends a line for YAML 1.1, section 5.4.
var lineBreak = regexp.MustCompile("\r\n|[\r\n\u0085\u2028\u2029]")

// FuzzRead holds that nothing makes it panic, that each fault is in a place that
// the file has, and that what is accepted is what the decoder alone would accept.
func FuzzRead(f *testing.F) {
	for _, text := range []string{everyKey, withAuthentication, withTrust, faulty} {
		f.Add([]byte(text))
		f.Add([]byte("\ufeff" + strings.ReplaceAll(text, "\n", "\r\n")))
	}
	for _, text := range []string{
		"defaults: &a {<<: [*a, {attach: *a}]}\n", "trust: {files: [&a [], *a]}", "? [a]\n: 1\n~: 2\n", "a:\tb", "a: !!float x\n",
		"--- # x\n", "%YAML 1.1\n---\n{}\n...\n", "{\"\\u2028\": 1}", "a: \"\\\n  x\"", "[[[[[[", "a: 1e999\nb: .inf\n", "\"[0].x\": 1", "a: {\"\": [1]}",
	} {
		f.Add([]byte(text))
		f.Add([]byte(header + text))
	}
	examples, err := filepath.Glob("../knative/examples/*/config.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range examples {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		settings, err := config.Read("f", bytes.NewReader(text))
		if err == nil {
			checkAccepted(t, text, settings)
			return
		}
		var faults *config.Faults
		if !errors.As(err, &faults) {
			t.Fatalf("Read = %v, want faults", err)
		}
		checkPlaces(t, text, faults)
	})
}

func checkAccepted(t *testing.T, text []byte, settings config.HandlerConfig) {
	t.Helper()
	asJSON, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		t.Fatalf("it was accepted, and is no YAML: %v", err)
	}
	var want config.HandlerConfig
	if strict, err := json.UnmarshalStrict(asJSON, &want); err != nil || strict != nil {
		t.Fatalf("it was accepted; the decoder says %v, %v", err, strict)
	}
	if !want.SameAs(settings) {
		t.Errorf("settings are %+v; the decoder has %+v", settings, want)
	}
}

func checkPlaces(t *testing.T, text []byte, faults *config.Faults) {
	t.Helper()
	lines := lineBreak.Split(strings.TrimPrefix(string(text), "\ufeff"), -1)
	for _, fault := range faults.List {
		if fault.Message == "" || strings.Count(fault.String(), "\n") > 0 {
			t.Errorf("%q is not one line with a message", fault)
		}
		if fault.Line < 0 || fault.Line > len(lines) {
			t.Errorf("%s: the file has %d lines", fault, len(lines))
		} else if fault.Column < 0 || fault.Column > 0 && (fault.Line == 0 || fault.Column > 1+utf8.RuneCountInString(lines[fault.Line-1])) {
			t.Errorf("%s: that line is not so long", fault)
		}
	}
	if len(faults.List) == 0 || strings.Count(faults.Error(), "\n") > len(faults.List) {
		t.Errorf("%d faults in the lines\n%s", len(faults.List), faults)
	}
}
