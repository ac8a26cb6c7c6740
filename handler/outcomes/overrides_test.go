package outcomes_test

import (
	"strings"
	"testing"

	"github.com/cloudevents/sdk-go/v2/event"
	"github.com/google/go-cmp/cmp"

	"gateway-cert-operator.io/gateway-cert-handler/handler/outcomes"
)

func TestOverridesAreReadAsKnativeWritesThem(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		want outcomes.Overrides
	}{
		"none":                      {"", nil},
		"an empty object":           {"{}", outcomes.Overrides{}},
		"no extension":              {`{"extensions":{}}`, outcomes.Overrides{}},
		"two":                       {`{"extensions":{"team":"platform","zone":"eu 1"}}`, outcomes.Overrides{"team": "platform", "zone": "eu 1"}},
		"a name with a capital":     {`{"extensions":{"Team":"platform"}}`, outcomes.Overrides{"team": "platform"}},
		"one that we set ourselves": {`{"extensions":{"causationid":"x"}}`, outcomes.Overrides{"causationid": "x"}},
	} {
		got, err := outcomes.ParseOverrides(tc.text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestOverridesThatCannotBeObeyedAreOneLineThatNamesTheVariable(t *testing.T) {
	for name, tc := range map[string]struct{ text, says string }{
		"no JSON":                        {"team=platform", "want"},
		"an unknown key":                 {`{"extension":{"team":"platform"}}`, "extension"},
		"a key in another letter case":   {`{"Extensions":{"team":"platform"}}`, "Extensions"},
		"a key twice":                    {`{"extensions":{"team":"a"},"extensions":{"team":"b"}}`, "extensions"},
		"two texts":                      {`{} {}`, "want"},
		"a value that is no text":        {`{"extensions":{"team":1}}`, "want"},
		"a name of other characters":     {`{"extensions":{"my-team":"platform"}}`, "my-team"},
		"an attribute of the context":    {`{"extensions":{"type":"platform"}}`, "type"},
		"the same name twice but for it": {`{"extensions":{"team":"a","TEAM":"b"}}`, "letter case"},
		"a value with a line break":      {`{"extensions":{"team":"a\nb"}}`, "team"},
		"an empty value":                 {`{"extensions":{"team":""}}`, "team"},
		"too much":                       {`{"extensions":{"team":"` + strings.Repeat("x", 4096) + `"}}`, "4096"},
	} {
		_, err := outcomes.ParseOverrides(tc.text)
		if err == nil {
			t.Errorf("%s: accepted", name)
			continue
		}
		if text := err.Error(); !strings.Contains(text, "K_CE_OVERRIDES") || !strings.Contains(text, tc.says) || strings.Contains(text, "\n") {
			t.Errorf("%s: %q, want one line that names K_CE_OVERRIDES and %q", name, text, tc.says)
		}
	}
}

func TestAnErrorAboutOverridesHoldsNoValue(t *testing.T) {
	for _, text := range []string{
		`{"extensions":{"token":"s3cret\n"}}`, `{"extensions":{"my-token":"s3cret"}}`, `{"token":"s3cret"}`, `{"extensions":"s3cret"}`,
		`{"extensions":{"token":"s3cret"}`,
	} {
		if _, err := outcomes.ParseOverrides(text); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v, want an error without the value", text, err)
		}
	}
}

// What is accepted makes an event that CloudEvents' own library takes.
func FuzzOverrides(f *testing.F) {
	f.Add(`{"extensions":{"team":"platform"}}`)
	f.Add(`{"extensions":{"Team":"a b","x":"%"}}`)
	f.Add(`{"extensions":null}`)
	f.Add(`null`)
	f.Fuzz(func(t *testing.T, text string) {
		overrides, err := outcomes.ParseOverrides(text)
		if err != nil {
			return
		}
		e := event.New()
		e.SetID("1")
		e.SetSource("s")
		e.SetType("t")
		for name, value := range overrides {
			e.SetExtension(name, value)
			if e.Extensions()[name] != value {
				t.Errorf("extension %q = %v, want %q", name, e.Extensions()[name], value)
			}
		}
		if err := e.Validate(); err != nil {
			t.Errorf("%q is accepted and makes an invalid event: %v", text, err)
		}
	})
}
