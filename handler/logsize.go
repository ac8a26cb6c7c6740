package handler

import (
	"log/slog"
	"unicode/utf8"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
)

// findingAttributes are the rejections and notes of an outcome, as many and as
// long as one line may have them.
func findingAttributes(o reconcile.Outcome) []slog.Attr {
	findings, rejected := o.Findings(), len(o.Plan.Rejections) // a copy, rejections first
	for i := range findings {
		f := &findings[i]
		f.Hostname, f.Message, f.Key = cut(f.Hostname, maxLogText), cut(f.Message, maxLogText), cut(f.Key, maxLogText)
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
	return slog.String(key, cut(err.Error(), maxLogError))
}

// cut shortens a text to at most limit bytes, between two characters, and shows
// by "…" that it did.
func cut(text string, limit int) string {
	const ellipsis = "…"
	if len(text) <= limit {
		return text
	}
	end := limit - len(ellipsis)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + ellipsis
}
