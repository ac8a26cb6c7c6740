package zero

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// line is one of the adapter's log.
type line struct {
	At      time.Time `json:"ts"`
	Message string    `json:"msg"`
}

// adapterLog returns what the adapters for Certificates have said since.
func adapterLog(t *testing.T, since time.Time) []line {
	t.Helper()
	pods, err := node.core.CoreV1().Pods(productNamespace).List(t.Context(), metav1.ListOptions{
		LabelSelector: "eventing.knative.dev/sourceName=certificates",
	})
	if err != nil {
		t.Fatal(err)
	}
	// The API has whole seconds.
	from := metav1.NewTime(since.Add(-time.Second))
	var lines []line
	for _, pod := range pods.Items {
		for _, previous := range []bool{true, false} {
			text, err := node.core.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, &corev1.PodLogOptions{SinceTime: &from, Previous: previous}).DoRaw(t.Context())
			if err != nil {
				continue // it has none yet, has never been started again, or is gone
			}
			lines = append(lines, parseLog(string(text), since)...)
		}
	}
	return lines
}

func parseLog(text string, since time.Time) []line {
	var lines []line
	for raw := range strings.Lines(text) {
		var l line
		if json.Unmarshal([]byte(raw), &l) == nil && !l.At.Before(since) {
			lines = append(lines, l)
		}
	}
	return lines
}

// sentAt returns when the adapter began to send the first event about a Certificate.
func sentAt(lines []line, namespace, certificate string) (time.Time, bool) {
	for _, l := range lines {
		if strings.HasPrefix(l.Message, "sending cloudevent") && strings.HasSuffix(l.Message, "/"+namespace+"/certificates/"+certificate) {
			return l.At, true
		}
	}
	return time.Time{}, false
}

// lost counts the events that the adapter has begun to send, and those of them that
// nobody has answered well: it has given them up, or has ended meanwhile.
func lost(lines []line) (sent, failed int) {
	for _, l := range lines {
		switch {
		case strings.HasPrefix(l.Message, "sending cloudevent"):
			sent++
			failed++
		case strings.HasPrefix(l.Message, "cloudevent sent"):
			failed--
		}
	}
	return sent, failed
}
