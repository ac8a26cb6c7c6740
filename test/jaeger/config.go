package jaeger

import "strings"

// maxTraces bounds the memory; the oldest traces go first.
const maxTraces = "10000"

// configuration is that of an OpenTelemetry collector, which Jaeger is since its
// version 2. Port 0 is a free one, which Jaeger says in its log. What it tells of
// itself is off: metrics would be served on a fixed port, and traces of queries
// sent to another, which puts its end off by ten seconds where nobody listens.
const configuration = `
service:
  extensions: [jaeger_storage, jaeger_query]
  pipelines:
    traces:
      receivers: [otlp]
      exporters: [jaeger_storage_exporter]
  telemetry:
    metrics: {level: none}
    logs: {level: info, encoding: json}
extensions:
  jaeger_storage:
    backends:
      memory:
        memory: {max_traces: MAX_TRACES}
  jaeger_query:
    storage: {traces: memory}
    enable_tracing: false
    http: {endpoint: "QUERY_ADDRESS"}
    grpc: {endpoint: "127.0.0.1:0"}
receivers:
  otlp:
    protocols:
      http: {endpoint: "127.0.0.1:0"}
exporters:
  jaeger_storage_exporter: {trace_storage: memory}
`

// arguments are Jaeger's. The configuration goes with them, so that no file is
// left behind however the process ends.
func arguments(queryAddress string) []string {
	text := strings.NewReplacer("MAX_TRACES", maxTraces, "QUERY_ADDRESS", queryAddress).Replace(configuration)
	return []string{"--config", "yaml:" + text}
}
