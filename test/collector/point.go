package collector

import (
	"encoding/hex"

	metricsv1 "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	commonv1 "go.opentelemetry.io/proto/otlp/common/v1"
	datav1 "go.opentelemetry.io/proto/otlp/metrics/v1"
)

// Point is one point of one metric as it was exported.
type Point struct {
	Service, Name, Unit string
	Attributes          map[string]string // values as text
	// Value is a counter's or gauge's value, or the sum of a histogram.
	Value float64
	// Count and Bounds are a histogram's; Count is how many values were measured.
	Count  uint64
	Bounds []float64
	// Temporality is unspecified for a gauge.
	Temporality datav1.AggregationTemporality
	// ExemplarTraces are the traces of the point's exemplars, as Span.TraceID.
	ExemplarTraces []string
}

func pointsOf(request *metricsv1.ExportMetricsServiceRequest) []Point {
	var points []Point
	for _, resource := range request.GetResourceMetrics() {
		service := attributes(resource.GetResource().GetAttributes())["service.name"]
		for _, scope := range resource.GetScopeMetrics() {
			for _, m := range scope.GetMetrics() {
				for _, point := range pointsOfMetric(m) {
					point.Service, point.Name, point.Unit = service, m.GetName(), m.GetUnit()
					points = append(points, point)
				}
			}
		}
	}
	return points
}

func pointsOfMetric(m *datav1.Metric) []Point {
	var points []Point
	for _, p := range append(m.GetSum().GetDataPoints(), m.GetGauge().GetDataPoints()...) {
		point := pointOf(p.GetAttributes(), p.GetExemplars())
		point.Temporality = m.GetSum().GetAggregationTemporality()
		point.Value = p.GetAsDouble() + float64(p.GetAsInt()) // one of them is 0
		points = append(points, point)
	}
	for _, p := range m.GetHistogram().GetDataPoints() {
		point := pointOf(p.GetAttributes(), p.GetExemplars())
		point.Temporality = m.GetHistogram().GetAggregationTemporality()
		point.Value, point.Count, point.Bounds = p.GetSum(), p.GetCount(), p.GetExplicitBounds()
		points = append(points, point)
	}
	return points
}

func pointOf(pairs []*commonv1.KeyValue, exemplars []*datav1.Exemplar) Point {
	point := Point{Attributes: attributes(pairs)}
	for _, exemplar := range exemplars {
		point.ExemplarTraces = append(point.ExemplarTraces, hex.EncodeToString(exemplar.GetTraceId()))
	}
	return point
}
