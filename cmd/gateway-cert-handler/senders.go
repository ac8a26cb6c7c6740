package main

import (
	"log/slog"
	"reflect"
	"sync"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/handler"
	"gateway-cert-operator.io/gateway-cert-handler/handler/authn"
)

// senders are those whose events the settings in force take.
type senders struct {
	reviewer authn.Reviewer
	inForce  func() *config.Authentication
	logger   *slog.Logger

	mu    sync.Mutex
	said  *config.Authentication // by the settings that made what follows
	made  *handler.Senders
	asked bool
}

// now returns them; nil is everybody. What is known of tokens is kept as long as
// the settings' word on it stays the same.
func (s *senders) now() *handler.Senders {
	who := s.inForce()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked && reflect.DeepEqual(who, s.said) {
		return s.made
	}
	if who == nil {
		if s.asked {
			s.logger.Warn("events of all senders are taken from now on")
		}
		s.made = nil
	} else {
		s.logger.Info("only events of allowed senders are taken", "audience", who.Audience, "allowed", who.Allowed)
		s.made = &handler.Senders{
			Authenticator: authn.New(authn.Options{Reviewer: s.reviewer, Audience: who.Audience}),
			Allows:        who.Allows,
		}
	}
	s.said, s.asked = who, true
	return s.made
}
