package admission

import (
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

func TestWhatDoesNotBearOurKeysIsNotJudged(t *testing.T) {
	c := mustClient(t)
	for _, k := range []kind{certificate, gateway, tenant} {
		object := plain(k)
		object.SetLabels(map[string]string{"example.com/gateway-name": "The_Edge", "gateway-name": "The_Edge"})
		object.SetAnnotations(map[string]string{"example.com/attach": "never", "attach": "never", "listener-port": "0"})
		if said := refusal(t, c, object); said != "" {
			t.Errorf("of a %s the policy says %q", k, said)
		}
	}
}

func TestAKeyCountsOnlyOnTheKindThatItIsFor(t *testing.T) {
	c := mustClient(t)
	for name, tc := range map[string]struct {
		k   kind
		key string
	}{
		"paused on a Certificate":      {certificate, "paused"},
		"attach on a Namespace":        {tenant, "attach"},
		"listener-port on a Namespace": {tenant, "listener-port"},
		"gateway-name on a Gateway":    {gateway, "gateway-name"},
		"the ledger on a Gateway":      {gateway, "listeners"},
	} {
		t.Run(name, func(t *testing.T) {
			object := annotated(tc.k, tc.key, "Mal_formed "+long)
			if tc.k != certificate {
				object.SetLabels(map[string]string{plan.GatewayNameKey: "The_Edge"})
			}
			if said := refusal(t, c, object); said != "" {
				t.Errorf("the policy says %q", said)
			}
		})
	}
}
