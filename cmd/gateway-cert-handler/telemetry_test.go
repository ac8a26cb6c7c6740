package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
)

// spansOfAnEvent are those of a Certificate's add that leads to a patch, as
// docs/tracing.md shows them.
var spansOfAnEvent = []string{
	"GET events", "GET gateways", "GET namespaces", "LIST certificates", "LIST certificates", "PATCH gateways", "POST /", "POST events",
	"find gateways", "look up", "patch", "plan", "reconcile gateway", "report",
}

// observed is a process of its own that is sent one event.
type observed struct {
	t     *testing.T
	url   string
	lines <-chan logLine
	stop  func() // returns when it has left, with code 0
}

// observe starts the process with the variables, and sends the event.
func observe(t *testing.T, variables map[string]string) observed {
	t.Helper()
	return observeWith(t, noSweep, variables)
}

func observeWith(t *testing.T, text string, variables map[string]string) observed {
	t.Helper()
	for name, value := range variables {
		t.Setenv(name, value)
	}
	process, url, lines := startProcess(t, newStandIn(t, "", ""), "-config", settings(t, text))
	if got := <-sendCertificate(t, url); got != http.StatusNoContent {
		t.Errorf("the event was answered %d, want 204", got)
	}
	return observed{t, url, lines, func() {
		t.Helper()
		terminate(t, process)
		if err := process.Wait(); err != nil {
			t.Errorf("the process left with %v, want 0", err)
		}
	}}
}

// losses are the lines that tell of some, once the process has left.
func (o observed) losses() []logLine {
	var found []logLine
	for line := range o.lines {
		if line.Msg == "telemetry is lost" {
			found = append(found, line)
		}
	}
	return found
}

func startCollector(t *testing.T, options collector.Options) *collector.Collector {
	t.Helper()
	c, err := collector.StartWith(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// checkSpans checks that all spans have come, in one tree.
func checkSpans(t *testing.T, c *collector.Collector) {
	t.Helper()
	names, ids := []string{}, map[string]bool{"": true}
	for _, span := range c.Spans() {
		names, ids[span.ID] = append(names, span.Name), true
	}
	slices.Sort(names)
	if diff := cmp.Diff(spansOfAnEvent, names); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
	for _, span := range c.Spans() {
		if !ids[span.ParentID] && span.Name != "POST /" {
			t.Errorf("the parent of %s is missing", span.Name)
		}
	}
}

func TestT01EverySpanArrivesThoughTheProcessIsStoppedAtOnce(t *testing.T) {
	c := startCollector(t, collector.Options{})
	o := observe(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.Endpoint()})
	o.stop()
	checkSpans(t, c)
	if found := o.losses(); len(found) > 0 {
		t.Errorf("the log tells of losses: %+v", found)
	}
	outcomes := map[string]bool{}
	for _, point := range c.Points() {
		if point.Name == "gateway_cert.events" {
			outcomes[point.Attributes["gateway_cert.event.outcome"]] = true
		}
	}
	if !outcomes["Patched"] {
		t.Errorf("the outcomes of events that were counted are %v, want Patched among them", outcomes)
	}
	if !slices.ContainsFunc(c.LogRecords(), func(r collector.LogRecord) bool { return r.Body == "reconciled" && r.TraceID == c.Spans()[0].TraceID }) {
		t.Errorf("log records are %+v, want the run's, in its trace", c.LogRecords())
	}
}

// The batches are due in an hour, so that only the flush can have sent them.
func TestAnIdleProcessHasSentWhatItHas(t *testing.T) {
	c := startCollector(t, collector.Options{})
	o := observe(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.Endpoint(), "OTEL_BSP_SCHEDULE_DELAY": "3600000"})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := c.Wait(ctx, func(trace collector.Trace) bool { return len(trace.Spans) == len(spansOfAnEvent) }); err != nil {
		t.Error(err)
	}
	o.stop()
}

func TestT02WithoutACollectorEventsAreAnsweredAndTheProcessLeavesWell(t *testing.T) {
	release := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	t.Cleanup(func() { close(release); hanging.Close() })
	for name, tc := range map[string]struct{ endpoint, reason string }{
		"nobody listens": {"http://127.0.0.1:1", "connection refused"},
		"it hangs":       {hanging.URL, "no answer in time"},
	} {
		t.Run(name, func(t *testing.T) {
			o := observe(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": tc.endpoint})
			o.stop()
			checkLoss(t, o.losses(), tc.reason)
		})
	}
}

// checkLoss checks that one line tells of it, with the reason.
func checkLoss(t *testing.T, found []logLine, reason string) {
	t.Helper()
	if len(found) != 1 {
		t.Fatalf("%d lines tell of a loss, want 1: %+v", len(found), found)
	}
	told := found[0].Traces
	if told.Lost != len(spansOfAnEvent) || !strings.Contains(told.Error, reason) {
		t.Errorf("of traces it is told %+v, want %d lost because of %q", told, len(spansOfAnEvent), reason)
	}
}

func TestT03WhatASlowCollectorDoesNotGetOneLineTells(t *testing.T) {
	c := startCollector(t, collector.Options{Delay: 2 * time.Second})
	o := observe(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.Endpoint()})
	o.stop()
	if found := o.losses(); len(found) == 0 {
		checkSpans(t, c)
	} else if told := found[0].Traces; len(found) > 1 || told.Lost+len(c.Spans()) < len(spansOfAnEvent) {
		t.Errorf("%d spans have come and the log tells %+v, want one line for the rest of the %d", len(c.Spans()), found, len(spansOfAnEvent))
	}
}

func TestT05APrivateCAIsTrustedWhereItIsNamed(t *testing.T) {
	ca, path := authority(t)
	c := secured(t, ca)
	o := observe(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.Endpoint(), "OTEL_EXPORTER_OTLP_CERTIFICATE": path})
	o.stop()
	checkSpans(t, c)
	if found := o.losses(); len(found) > 0 {
		t.Errorf("the log tells of losses: %+v", found)
	}
}

func TestT05WithTheWrongCAOrNoneEventsAreAnsweredAndOneLineSaysWhy(t *testing.T) {
	ca, _ := authority(t)
	_, wrong := authority(t)
	for name, tc := range map[string]struct{ file, reason string }{
		"the wrong CA":   {wrong, "is not signed by a trusted"},
		"a missing file": {"/nonexistent/ca.crt", "file /nonexistent/ca.crt: is not there"},
	} {
		t.Run(name, func(t *testing.T) {
			c := secured(t, ca)
			o := observe(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.Endpoint(), "OTEL_EXPORTER_OTLP_CERTIFICATE": tc.file})
			o.stop()
			checkLoss(t, o.losses(), tc.reason)
			if spans := c.Spans(); len(spans) > 0 {
				t.Errorf("the collector has got %d spans, want none", len(spans))
			}
		})
	}
}

// authority returns a CA and the path of its certificate.
func authority(t *testing.T) (*collector.Authority, string) {
	t.Helper()
	ca, err := collector.NewAuthority()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "ca.crt")
	if err := os.WriteFile(path, ca.PEM(), 0o600); err != nil {
		t.Fatal(err)
	}
	return ca, path
}

// secured is a collector whose certificate the CA has issued.
func secured(t *testing.T, ca *collector.Authority) *collector.Collector {
	t.Helper()
	server, err := ca.Server()
	if err != nil {
		t.Fatal(err)
	}
	return startCollector(t, collector.Options{TLS: server})
}
