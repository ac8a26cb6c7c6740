package config_test

import (
	"strings"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/config"
)

func TestRepliesAreAskedForByOneKey(t *testing.T) {
	for text, want := range map[string]bool{"": false, "outcomes: {}\n": false, "outcomes: {reply: false}\n": false, "outcomes: {reply: true}\n": true} {
		settings, err := config.Load(file(t, header+text))
		if err != nil || settings.Outcomes.Reply != want {
			t.Errorf("%q: reply is %v, %v; want %v", text, settings.Outcomes.Reply, err, want)
		}
	}
}

func TestOutcomesThatCannotBeObeyedAreRefused(t *testing.T) {
	for text, says := range map[string]string{"outcomes: {replies: true}\n": "outcomes.replies", "outcomes: {reply: often}\n": "reply"} {
		if _, err := config.Load(file(t, header+text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want an error that names %s", text, err, says)
		}
	}
}
