package handler

import (
	"log/slog"
	"slices"

	"github.com/cloudevents/sdk-go/v2/event"

	"gateway-cert-operator.io/gateway-cert-handler/knative"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
)

// eventAttributes are on every log line about an event.
func eventAttributes(e event.Event) []any {
	attributes := []any{slog.String("event", e.ID()), slog.String("type", e.Type())}
	if name, err := extension(e, knative.ExtensionName); err == nil {
		kind, _ := extension(e, knative.ExtensionKind)
		namespace, _ := extension(e, knative.ExtensionNamespace)
		attributes = append(attributes, slog.String("object", kind+" "+namespace+"/"+name))
	}
	return attributes
}

func levelOf(o reconcile.Outcome) slog.Level {
	switch {
	case o.Err != nil:
		return slog.LevelError
	case o.Verdict == reconcile.GatewayMissing, len(o.Plan.Rejections) > 0, o.ReportErr != nil:
		return slog.LevelWarn
	default:
		return slog.LevelInfo
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
		attributes = append(attributes, slog.Any("changes", o.Plan.Changes))
	}
	if o.Plan.MetadataStale && len(o.Plan.Changes) == 0 && o.Verdict == reconcile.Patched {
		attributes = append(attributes, slog.Bool("metadataRewritten", true))
	}
	if len(o.Plan.Rejections) > 0 {
		attributes = append(attributes, slog.Any("rejections", o.Plan.Rejections))
	}
	if notes := slices.Concat(o.Notes, o.Plan.Notes); len(notes) > 0 {
		attributes = append(attributes, slog.Any("notes", notes))
	}
	if o.Err != nil {
		attributes = append(attributes, slog.Any("error", o.Err))
	}
	if o.ReportErr != nil {
		attributes = append(attributes, slog.Any("eventsNotWritten", o.ReportErr))
	}
	return attributes
}
