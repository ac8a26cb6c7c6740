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
type Ledger map[gatewayv1.SectionName]types.NamespacedName

// ParseLedger reads the annotation: a JSON object of listener name to
// "namespace/certificate". The empty text is an empty ledger. One bad entry
// voids the whole: a ledger that was edited by hand is not to be trusted in part.
func ParseLedger(annotation string) (Ledger, error) {
	if annotation == "" {
		return nil, nil
	}
	var entries map[gatewayv1.SectionName]string
	if err := json.Unmarshal([]byte(annotation), &entries); err != nil {
		return nil, fmt.Errorf("parse annotation %s: %w", LedgerKey, err)
	}
	ledger := make(Ledger, len(entries))
	for name, owner := range entries {
		namespace, certificate, ok := strings.Cut(owner, "/")
		if !ok || namespace == "" || certificate == "" || strings.Contains(certificate, "/") {
			return nil, fmt.Errorf("parse annotation %s: listener %q names %q, not namespace/certificate", LedgerKey, name, owner)
		}
		ledger[name] = types.NamespacedName{Namespace: namespace, Name: certificate}
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
	for name, certificate := range l {
		entries[name] = certificate.String()
	}
	text, err := json.Marshal(entries) // sorts by key
	if err != nil {
		panic("a map of strings must marshal: " + err.Error())
	}
	return string(text)
}

// Names reports whether the ledger holds a listener of that Certificate.
func (l Ledger) Names(certificate types.NamespacedName) bool {
	for _, owner := range l {
		if owner == certificate {
			return true
		}
	}
	return false
}
