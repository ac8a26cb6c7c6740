package handler

import (
	"log/slog"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/truncate"
)

// findingAttributes are the rejections and notes of an outcome, as many and as
// long as one line may have them.
func findingAttributes(o reconcile.Outcome) []slog.Attr {
	findings, rejected := o.Findings(), len(o.Plan.Rejections) // a copy, rejections first
	for i := range findings {
		f := &findings[i]
		f.Hostname, f.Message, f.Key = truncate.Text(f.Hostname, maxLogText), truncate.Text(f.Message, maxLogText), truncate.Text(f.Key, maxLogText)
	}
	return append(few("rejections", findings[:rejected]), few("notes", findings[rejected:])...)
}

// few is the attribute for the first findings, and one for how many there are
// beyond them.
func few[F any](key string, findings []F) []slog.Attr {
	switch omitted := len(findings) - maxLogFindings; {
	case len(findings) == 0:
		return nil
	case omitted > 0:
		return []slog.Attr{slog.Any(key, findings[:maxLogFindings]), slog.Int(key+"Omitted", omitted)}
	default:
		return []slog.Attr{slog.Any(key, findings)}
	}
}

// errorAttribute is for errors too: they quote what others have written.
func errorAttribute(key string, err error) slog.Attr {
	return slog.String(key, truncate.Text(err.Error(), maxLogError))
}
