package debug

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

// Options are what [New] needs.
type Options struct {
	// Preview plans for a Gateway and writes nothing; apierrors.IsNotFound if there
	// is no such Gateway.
	Preview func(context.Context, types.NamespacedName) (plan.Plan, error)
	Recent  *Recent
}

// New returns what serves these:
//
//	/debug/plan/{namespace}/{gateway}   what would change; ?namespace= shows more of one
//	/debug/outcomes                     how the last runs ended, the newest first
//	/debug/pprof/                       profiles of the process
//
// It answers only who calls the host by a name or address of this machine: else a
// page in the browser of somebody who has forwarded the port could read it, by a
// name of its own that it has pointed here.
func New(options Options) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /debug/plan/{namespace}/{gateway}", preview(options.Preview))
	mux.HandleFunc("GET /debug/outcomes", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, options.Recent.newestFirst())
	})
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !IsLoopback(r.Host) {
			http.Error(w, "call this by a loopback address or localhost", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// IsLoopback reports whether a host, with or without a port, is localhost or a
// loopback address.
func IsLoopback(hostPort string) bool {
	host, _, err := net.SplitHostPort(hostPort)
	if err != nil {
		host = hostPort
	}
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

// planned is the answer about one Gateway.
type planned struct {
	Gateway string `json:"gateway"`
	Paused  bool   `json:"paused,omitempty"`
	summary
	// Own is of the namespace that was asked about.
	Own *part `json:"own,omitempty"`
}

func preview(plans func(context.Context, types.NamespacedName) (plan.Plan, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		gateway := types.NamespacedName{Namespace: r.PathValue("namespace"), Name: r.PathValue("gateway")}
		p, err := plans(r.Context(), gateway)
		switch {
		case apierrors.IsNotFound(err):
			http.Error(w, "there is no Gateway "+gateway.String(), http.StatusNotFound)
			return
		case err != nil:
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		answer := planned{Gateway: gateway.String(), Paused: p.Paused, summary: summarise(p.Changes, p.Rejections, p.Notes)}
		if namespace := r.URL.Query().Get("namespace"); namespace != "" {
			answer.Own = new(partOf(p, namespace))
		}
		writeJSON(w, answer)
	}
}

func writeJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	_ = encoder.Encode(value) // who asked has gone
}
