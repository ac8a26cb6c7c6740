package handler

import (
	"context"
	"log/slog"

	"github.com/cloudevents/sdk-go/v2/event"

	"gateway-cert-operator.io/gateway-cert-handler/knative"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/truncate"
)

// eventAttributes are on every log line about an event.
func eventAttributes(e event.Event) []slog.Attr {
	attributes := []slog.Attr{slog.String("event", truncate.Text(e.ID(), maxLogText)), slog.String("type", truncate.Text(e.Type(), maxLogText))}
	if name, err := extension(e, knative.ExtensionName); err == nil {
		kind, _ := extension(e, knative.ExtensionKind)
		namespace, _ := extension(e, knative.ExtensionNamespace)
		attributes = append(attributes, slog.String("object", truncate.Text(kind+" "+namespace+"/"+name, maxLogText)))
	}
	return attributes
}

func levelOf(o reconcile.Outcome) slog.Level {
	switch {
	case o.Err != nil:
		return slog.LevelError
	case o.Verdict == reconcile.GatewayMissing, len(o.Plan.Rejections) > 0, o.ReportErr != nil:
		return slog.LevelWarn
	case o.Verdict == reconcile.Covered: // of most events in a burst, and of most status writes
		return slog.LevelDebug
	default:
		return slog.LevelInfo
	}
}

func logOutcome(ctx context.Context, logger *slog.Logger, level slog.Level, o reconcile.Outcome, more ...slog.Attr) {
	if logger.Enabled(ctx, level) { // for most Gateways of a sweep it is not
		logger.LogAttrs(ctx, level, "reconciled", append(outcomeAttributes(o), more...)...)
	}
}

func outcomeAttributes(o reconcile.Outcome) []slog.Attr {
	attributes := []slog.Attr{
		slog.String("gateway", o.Gateway.String()),
		slog.String("outcome", string(o.Verdict)),
		slog.Int("attempts", o.Attempts),
		slog.String("resourceVersion", o.ResourceVersion),
	}
	if len(o.Plan.Changes) > 0 {
		impact, _ := o.Plan.Impact() // each change says why
		attributes = append(attributes, slog.String("impact", string(impact)), slog.Any("changes", o.Plan.Changes))
	}
	if o.Shared {
		attributes = append(attributes, slog.Bool("shared", true))
	}
	if o.Shared && o.RunSpan.IsValid() {
		attributes = append(attributes, slog.String("run_trace_id", o.RunSpan.TraceID().String()))
	}
	if o.Plan.MetadataStale && len(o.Plan.Changes) == 0 && o.Verdict == reconcile.Patched {
		attributes = append(attributes, slog.Bool("metadataRewritten", true))
	}
	attributes = append(attributes, findingAttributes(o)...)
	if o.Err != nil {
		attributes = append(attributes, errorAttribute("error", o.Err))
	}
	if o.ReportErr != nil {
		attributes = append(attributes, errorAttribute("eventsNotWritten", o.ReportErr))
	}
	return attributes
}
