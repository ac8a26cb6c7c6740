package admission

import "testing"

func TestTheModeIsApplyOrDryRun(t *testing.T) {
	c := mustClient(t)
	for text, want := range map[string]string{
		"Apply":  "",
		"DryRun": "",
		"":       `annotation gateway-cert-operator.io/mode is "": want Apply or DryRun`,
		"dryrun": `annotation gateway-cert-operator.io/mode is "dryrun": want Apply or DryRun`,
	} {
		if said := refusal(t, c, annotated(gateway, "mode", text)); said != want {
			t.Errorf("of %q the policy says %q, want %q", text, said, want)
		}
	}
}
