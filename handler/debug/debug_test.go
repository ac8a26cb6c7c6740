package debug_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"gateway-cert-operator.io/gateway-cert-handler/handler/debug"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

var (
	ours   = types.NamespacedName{Namespace: "team-a", Name: "app"}
	theirs = types.NamespacedName{Namespace: "team-b", Name: "secret-project"}
)

// planOf has something of two tenants.
func planOf() plan.Plan {
	return plan.Plan{
		Changes: []plan.Change{
			{Action: plan.Added, Listener: "auto-app", Hostname: "app.example.com", Certificate: ours},
			{Action: plan.Removed, Listener: "auto-secret-project", Hostname: "project.example.com", Certificate: theirs},
		},
		Rejections: []plan.Finding{{Reason: plan.ReasonHostnameTaken, Certificate: theirs, Hostname: "project.example.com", Message: "project.example.com is taken"}},
		Notes:      []plan.Finding{{Reason: plan.ReasonSharedSecret, Certificate: ours, Hostname: "app.example.com", Message: "app.example.com shares"}},
	}
}

func get(t *testing.T, h http.Handler, target string) (int, string) {
	t.Helper()
	response := httptest.NewRecorder()
	h.ServeHTTP(response, httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, nil))
	return response.Code, response.Body.String()
}

func TestThePlanShowsOneNamespaceAndCountsTheRest(t *testing.T) {
	h := debug.New(debug.Options{Preview: func(context.Context, types.NamespacedName) (plan.Plan, error) { return planOf(), nil }})
	for target, shown := range map[string]string{
		"http://localhost/debug/plan/infra/edge":                                "",
		"http://localhost/debug/plan/infra/edge?namespace=team-a":               "app.example.com",
		"http://127.0.0.1:6060/debug/plan/infra/edge?namespace=team-b":          "project",
		"http://[::1]:6060/debug/plan/infra/edge?namespace=another":             "",
		"http://localhost/debug/plan/infra/edge?namespace=team-a&other=ignored": "app.example.com",
	} {
		code, body := get(t, h, target)
		var counted struct {
			Changes    map[string]int `json:"changes"`
			Rejections map[string]int `json:"rejections"`
		}
		if err := json.Unmarshal([]byte(body), &counted); err != nil || code != http.StatusOK {
			t.Fatalf("%s: %d %s (%v)", target, code, body, err)
		}
		if counted.Changes["Added"] != 1 || counted.Changes["Removed"] != 1 || counted.Rejections["HostnameTaken"] != 1 {
			t.Errorf("%s counts %+v", target, counted)
		}
		for _, word := range []string{"app.example.com", "project"} {
			if strings.Contains(body, word) != (word == shown) {
				t.Errorf("%s: want %q and nothing of others shown in %s", target, shown, body)
			}
		}
	}
}

func TestAPlanThatCannotBeMadeIsAnError(t *testing.T) {
	var err error
	h := debug.New(debug.Options{Preview: func(context.Context, types.NamespacedName) (plan.Plan, error) { return plan.Plan{}, err }})
	for want, e := range map[int]error{
		http.StatusNotFound:           apierrors.NewNotFound(schema.GroupResource{Resource: "gateways"}, "edge"),
		http.StatusServiceUnavailable: errors.New("no API server"),
	} {
		err = e
		if code, body := get(t, h, "http://localhost/debug/plan/infra/edge"); code != want {
			t.Errorf("%v is answered %d %s, want %d", e, code, body, want)
		}
	}
}

func TestOnlyThisMachineIsAnswered(t *testing.T) {
	h := debug.New(debug.Options{Recent: &debug.Recent{}})
	for host, want := range map[string]int{
		"localhost:6060": http.StatusOK, "127.0.0.1": http.StatusOK, "127.8.8.8:1": http.StatusOK, "[::1]:6060": http.StatusOK,
		"evil.example:6060": http.StatusForbidden, "10.0.0.1": http.StatusForbidden, "localhost.evil.example": http.StatusForbidden,
	} {
		if code, _ := get(t, h, "http://"+host+"/debug/outcomes"); code != want {
			t.Errorf("%s is answered %d, want %d", host, code, want)
		}
	}
}

func TestTheLastOutcomesAreKeptTheNewestFirstAndWithoutHostnames(t *testing.T) {
	recent := &debug.Recent{}
	h := debug.New(debug.Options{Recent: recent})
	if _, body := get(t, h, "http://localhost/debug/outcomes"); strings.TrimSpace(body) != "[]" {
		t.Errorf("before any run it is %s", body)
	}
	for attempt := range 250 {
		recent.Add(reconcile.Outcome{Gateway: types.NamespacedName{Namespace: "infra", Name: "edge"}, Verdict: reconcile.Patched, Plan: planOf(), Attempts: attempt})
	}
	_, body := get(t, h, "http://localhost/debug/outcomes")
	var entries []struct {
		Gateway  string
		Attempts int
		Changes  map[string]int
	}
	if err := json.Unmarshal([]byte(body), &entries); err != nil {
		t.Fatal(err)
	}
	if len(entries) != 200 || entries[0].Attempts != 249 || entries[199].Attempts != 50 || entries[0].Changes["Added"] != 1 {
		t.Errorf("%d entries, the first %+v, the last %+v", len(entries), entries[0], entries[len(entries)-1])
	}
	if strings.Contains(body, "example.com") || strings.Contains(body, "project") {
		t.Errorf("it says whose they are: %.500s", body)
	}
}

func TestOnlyALoopbackAddressIsListenedOn(t *testing.T) {
	for address, want := range map[string]bool{
		"127.0.0.1:0": true, "localhost:0": true, ":0": false, "0.0.0.0:0": false, "6060": false, "example.com:0": false,
	} {
		listener, err := debug.Listen(t.Context(), address)
		if (err == nil) != want {
			t.Errorf("Listen(%q) = %v, want it possible: %v", address, err, want)
		}
		if err == nil {
			_ = listener.Close()
		}
	}
}
