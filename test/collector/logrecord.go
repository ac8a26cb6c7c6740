package collector

import (
	"encoding/hex"

	logsv1 "go.opentelemetry.io/proto/otlp/collector/logs/v1"
)

// LogRecord is one log record as it was exported. IDs are as a Span's.
type LogRecord struct {
	Service, Body, Severity string
	TraceID, SpanID         string
	Attributes              map[string]string // values as text
}

func logRecordsOf(request *logsv1.ExportLogsServiceRequest) []LogRecord {
	var records []LogRecord
	for _, resource := range request.GetResourceLogs() {
		service := attributes(resource.GetResource().GetAttributes())["service.name"]
		for _, scope := range resource.GetScopeLogs() {
			for _, r := range scope.GetLogRecords() {
				records = append(records, LogRecord{
					Service:    service,
					Body:       text(r.GetBody()),
					Severity:   r.GetSeverityText(),
					TraceID:    hex.EncodeToString(r.GetTraceId()),
					SpanID:     hex.EncodeToString(r.GetSpanId()),
					Attributes: attributes(r.GetAttributes()),
				})
			}
		}
	}
	return records
}
