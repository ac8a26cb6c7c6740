package cost

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"
)

// event is what is of use here of an Event of audit.k8s.io/v1.
type event struct {
	AuditID                  string
	User                     struct{ Username string }
	RequestReceivedTimestamp time.Time
}

// Requests counts by their user the requests in an API server's audit log that came
// in at from or later, and before until. One that has several lines counts once. A
// last line without an end is being written, and no part of it.
func Requests(log io.Reader, from, until time.Time) (map[string]int, error) {
	counts, known := map[string]int{}, map[string]bool{}
	for reader := bufio.NewReader(log); ; {
		line, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return counts, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read the audit log: %w", err)
		}
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("read the audit log: %.100q: %w", line, err)
		}
		if e.RequestReceivedTimestamp.Before(from) || !e.RequestReceivedTimestamp.Before(until) || known[e.AuditID] {
			continue
		}
		known[e.AuditID] = true
		counts[e.User.Username]++
	}
}
