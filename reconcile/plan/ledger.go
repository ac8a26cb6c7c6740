package plan

import (
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/types"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// Ledger says which of a Gateway's listeners are ours, and which Certificate
// each came from. It is kept on the Gateway itself, in the annotation
// [LedgerKey], because there is no other place that outlives the process and is
// written in the same request as the listeners.
type Ledger map[gatewayv1.SectionName]Entry

// Entry is what the ledger holds of one listener.
type Entry struct {
	// Certificate is the one that the listener came from.
	Certificate types.NamespacedName
	// Hostname is the listener's, where its name does not tell it.
	Hostname gatewayv1.Hostname
	// Refused is set where the API server would not have the listener, or the
	// Gateway's controller found it in conflict: it is not on the Gateway. It is the
	// digest of what was refused.
	Refused string
	// Kept is set where the API server would not have a change of the listener:
	// it stands as it was. It is the digest of what was refused.
	Kept string
}

// Words that lead an entry's details.
const (
	detailHostname = "hostname:"
	detailRefused  = "refused:"
	detailKept     = "kept:"
)

// String is the entry's text: "namespace/certificate", then what else there is.
func (e Entry) String() string {
	text := e.Certificate.String()
	for _, detail := range []struct{ word, value string }{
		{detailHostname, string(e.Hostname)}, {detailRefused, e.Refused}, {detailKept, e.Kept},
	} {
		if detail.value != "" {
			text += " " + detail.word + detail.value
		}
	}
	return text
}

func parseEntry(text string) (Entry, error) {
	owner, details, _ := strings.Cut(text, " ")
	namespace, certificate, ok := strings.Cut(owner, "/")
	if !ok || namespace == "" || certificate == "" || strings.Contains(certificate, "/") {
		return Entry{}, fmt.Errorf("%.64q does not begin with namespace/certificate", text)
	}
	e := Entry{Certificate: types.NamespacedName{Namespace: namespace, Name: certificate}}
	for detail := range strings.FieldsSeq(details) {
		word, value, _ := strings.Cut(detail, ":")
		switch word + ":" {
		case detailHostname:
			e.Hostname = gatewayv1.Hostname(value)
		case detailRefused:
			e.Refused = value
		case detailKept:
			e.Kept = value
		default:
			return Entry{}, fmt.Errorf("%.64q is no detail of an entry", detail)
		}
	}
	return e, nil
}

// ParseLedger reads the annotation: a JSON object of listener name to entry, in
// its simplest form "namespace/certificate". The empty text is an empty ledger.
// One bad entry voids the whole: a ledger that was edited by hand is not to be
// trusted in part.
func ParseLedger(annotation string) (Ledger, error) {
	if annotation == "" {
		return nil, nil
	}
	var entries map[gatewayv1.SectionName]string
	if err := json.Unmarshal([]byte(annotation), &entries); err != nil {
		return nil, fmt.Errorf("parse annotation %s: %w", LedgerKey, err)
	}
	ledger := make(Ledger, len(entries))
	for name, text := range entries {
		entry, err := parseEntry(text)
		if err != nil {
			return nil, fmt.Errorf("parse annotation %s: listener %.64q: %w", LedgerKey, name, err)
		}
		ledger[name] = entry
	}
	return ledger, nil
}

// String returns the annotation's text, in one fixed order; empty for an empty
// ledger.
func (l Ledger) String() string {
	if len(l) == 0 {
		return ""
	}
	entries := make(map[gatewayv1.SectionName]string, len(l))
	for name, entry := range l {
		entries[name] = entry.String()
	}
	text, err := json.Marshal(entries) // sorts by key
	if err != nil {
		panic("a map of strings must marshal: " + err.Error())
	}
	return string(text)
}

// Names reports whether the ledger holds a listener of that Certificate.
func (l Ledger) Names(certificate types.NamespacedName) bool {
	for _, entry := range l {
		if entry.Certificate == certificate {
			return true
		}
	}
	return false
}
