package jaeger

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gateway-cert-operator.io/gateway-cert-handler/test/collector"
)

var anySearch = Search{Service: "handler", Tags: map[string]string{"a.b": "c=d", "e": "f"}}

// answering returns a Jaeger whose query API is handler.
func answering(t *testing.T, handler http.HandlerFunc) *Server {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return &Server{url: server.URL}
}

func answer200(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }
}

func TestASearchAsksByServiceAndTags(t *testing.T) {
	var service string
	var tags map[string]string
	s := answering(t, func(w http.ResponseWriter, r *http.Request) {
		service = r.FormValue("service")
		if err := json.Unmarshal([]byte(r.FormValue("tags")), &tags); err != nil {
			t.Errorf("tags %q: %v", r.FormValue("tags"), err)
		}
		_, _ = io.WriteString(w, `{"data":[]}`)
	})
	if _, err := s.Find(t.Context(), anySearch); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(anySearch, Search{Service: service, Tags: tags}); diff != "" {
		t.Errorf("(-search +asked):\n%s", diff)
	}
}

func TestAnAnswerThatIsNoneSaysWhatCame(t *testing.T) {
	for name, tc := range map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"an error": {func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "malformed 'tags' parameter", http.StatusBadRequest)
		}, "400 Bad Request: malformed 'tags' parameter"},
		"not JSON": {answer200("<html>"), "decode what /api/traces"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := answering(t, tc.handler).Find(t.Context(), anySearch)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("the error is %v, want %q in it", err, tc.want)
			}
		})
	}
}

func TestWaitingGoesOnUntilATraceIsAccepted(t *testing.T) {
	asked := 0
	s := answering(t, func(w http.ResponseWriter, r *http.Request) {
		if asked++; asked == 1 {
			answer200(`{"data":[]}`)(w, r)
			return
		}
		answer200(answered)(w, r)
	})
	seen := 0
	trace, err := s.WaitFor(t.Context(), anySearch, func(collector.Trace) bool {
		seen++
		return seen == 2
	})
	if err != nil {
		t.Fatal(err)
	}
	if trace.ID != "d065eb75110488348b74d43596871dd5" || asked != 3 {
		t.Errorf("trace %q after %d questions, want the answered one after 3", trace.ID, asked)
	}
}

func TestWaitingInVainTellsHowManyTracesThereAre(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, err := answering(t, answer200(answered)).WaitFor(ctx, anySearch, func(collector.Trace) bool {
		cancel()
		return false
	})
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "which has 1 such and none as wanted") {
		t.Errorf("the error is %v", err)
	}
}

func TestWaitingOnAJaegerThatFailsTellsWhatItSaid(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	asked := 0
	s := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		if asked++; asked == 2 {
			cancel()
		}
		http.Error(w, "storage is gone", http.StatusInternalServerError)
	})
	_, err := s.WaitFor(ctx, anySearch, func(collector.Trace) bool { return true })
	if err == nil || !strings.Contains(err.Error(), "500 Internal Server Error: storage is gone") {
		t.Errorf("the error is %v", err)
	}
}

func TestPagesAreToldFromTheirPlaceholder(t *testing.T) {
	for page, want := range map[string]bool{
		"<p>You are running a binary that was not compiled with the UI assets.</p>": false,
		"<title>Jaeger UI</title>": true,
	} {
		t.Run(page, func(t *testing.T) {
			got, err := answering(t, answer200(page)).HasPages(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got != want {
				t.Errorf("HasPages = %v, want %v", got, want)
			}
		})
	}
}
