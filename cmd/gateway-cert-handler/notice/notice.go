// Package notice tells people what became of settings that changed while the
// process worked: by a line of the log, a metric and an Event on the ConfigMap.
package notice

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	corev1 "k8s.io/api/core/v1"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/cluster"
)

const instrumentationName = "gateway-cert-operator.io/gateway-cert-handler/cmd/gateway-cert-handler/notice"

// eventTimeout bounds the writing of one Event: the next settings wait for it.
const eventTimeout = 5 * time.Second

// result is what became of a version of the settings.
type result string

const (
	taken   result = "Taken"
	refused result = "Refused"
)

const resultKey = attribute.Key("gateway_cert.settings.result")

// The reasons of Events.
const (
	ReasonTaken   = "SettingsTaken"
	ReasonRefused = "SettingsRefused"
)

// eventAction is what an Event says was being done.
const eventAction = "Load"

// Options are what [New] needs.
type Options struct {
	Logger  *slog.Logger
	Metrics metric.MeterProvider
	// Record writes an Event. About is the ConfigMap that it is about; nil where
	// there is none, and then there are no Events.
	Record func(context.Context, cluster.Event) error
	About  *corev1.ObjectReference
}

// Notices are told of one version at a time.
type Notices struct {
	options Options
	changes metric.Int64Counter
	refused bool // the last one was
}

// New returns Notices.
func New(options Options) *Notices {
	changes, err := options.Metrics.Meter(instrumentationName).Int64Counter("gateway_cert.settings.changes",
		metric.WithUnit("{change}"), metric.WithDescription("Versions of the settings that came while the process worked, by what became of them."))
	if err != nil {
		otel.Handle(err) // of a name that is not valid
	}
	return &Notices{options: options, changes: changes}
}

// Taken tells that the settings are in force, as that generation.
func (n *Notices) Taken(ctx context.Context, generation int64) {
	n.count(ctx, taken)
	n.options.Logger.InfoContext(ctx, "the settings are in force", "generation", generation)
	if n.refused { // who saw the warning is to see that it is over
		n.event(ctx, cluster.Event{Type: corev1.EventTypeNormal, Reason: ReasonTaken, Note: "the settings are valid again, and in force"})
	}
	n.refused = false
}

// Refused tells why the settings are not, so that the generation before stays.
func (n *Notices) Refused(ctx context.Context, generation int64, why error) {
	n.count(ctx, refused)
	n.options.Logger.ErrorContext(ctx, "the settings are refused, and those before stay in force", "generation", generation, "error", why)
	n.event(ctx, cluster.Event{Type: corev1.EventTypeWarning, Reason: ReasonRefused, Note: fmt.Sprintf("those before stay in force: %v", why)})
	n.refused = true
}

func (n *Notices) count(ctx context.Context, r result) {
	n.changes.Add(ctx, 1, metric.WithAttributes(resultKey.String(string(r))))
}

// event is without the ConfigMap's UID: to know that one would have to be allowed
// to read it.
func (n *Notices) event(ctx context.Context, e cluster.Event) {
	if n.options.About == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, eventTimeout)
	defer cancel()
	e.Regarding, e.Action = *n.options.About, eventAction
	if err := n.options.Record(ctx, e); err != nil && !errors.Is(err, context.Canceled) {
		n.options.Logger.WarnContext(ctx, "the ConfigMap has no Event that says so", "error", err)
	}
}
