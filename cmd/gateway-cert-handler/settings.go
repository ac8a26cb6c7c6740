package main

import (
	"context"
	"log/slog"

	corev1 "k8s.io/api/core/v1"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/config/live"
	"gateway-cert-operator.io/gateway-cert-handler/config/trust"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
)

// settingsSource is where the settings come from.
type settingsSource struct {
	// file may be empty: then what holds without one does.
	file string
	// configMap is the name of the one that the file is mounted from, in the
	// process's own namespace; empty if there is none.
	configMap string
}

func (s settingsSource) load() (config.HandlerConfig, error) {
	if s.file == "" {
		return config.HandlerConfig{}, nil
	}
	return config.Load(s.file, settingsOptions...)
}

// reference is the ConfigMap's; nil where it is not known.
func (s settingsSource) reference(logger *slog.Logger) *corev1.ObjectReference {
	if s.configMap == "" {
		return nil
	}
	namespace, err := ownNamespace()
	if err != nil {
		logger.Warn("the ConfigMap of the settings gets no Events", "error", err)
		return nil
	}
	return &corev1.ObjectReference{APIVersion: "v1", Kind: "ConfigMap", Namespace: namespace, Name: s.configMap}
}

// parts are what is made of a version of the settings before it is in force.
type parts struct {
	// trusted is what the settings add to the system's roots.
	trusted trust.Sources
	// policy is the reconciler's part, which each event asks for; it lacks the
	// generation.
	policy reconcile.Policy
}

func build(_ context.Context, settings config.HandlerConfig) (parts, error) {
	trusted, err := trustedBy(settings.Trust)
	return parts{trusted: trusted, policy: reconcile.Policy{
		Defaults:       settings.GatewayDefaults(),
		MaxGather:      settings.Delivery.GatherPause(reconcile.DefaultMaxGather),
		OrdersVersions: settings.Delivery.OrdersVersions,
	}}, err
}

type snapshot = live.Snapshot[parts]

func policyOf(s *snapshot) reconcile.Policy {
	policy := s.Built.policy
	policy.Generation = s.Generation
	return policy
}

// samePlans reports whether two versions make the same plans. What is not named
// here is taken to bear on them.
func samePlans(a, b config.HandlerConfig) bool {
	for _, s := range []*config.HandlerConfig{&a, &b} {
		s.Delivery, s.Trust, s.Telemetry, s.Outcomes = config.Delivery{}, config.Trust{}, config.Telemetry{}, config.Outcomes{}
		s.Authentication, s.Tests = nil, nil
	}
	return a.SameAs(b)
}

// watchSettings returns what tells of changes in the settings file. Without a
// watch they are seen later.
func watchSettings(ctx context.Context, file string, logger *slog.Logger) <-chan struct{} {
	touched, err := live.Watch(ctx, file)
	if err != nil {
		logger.Warn("changes of the settings are seen within a minute, not at once", "error", err)
	}
	return touched
}
