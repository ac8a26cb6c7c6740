package config_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/config/rules"
)

// told reads settings, and returns the lines of what is wrong with them.
func told(t *testing.T, text string) []string {
	t.Helper()
	_, err := config.Read("f", strings.NewReader(text), config.WithRules(rules.Compile))
	var faults *config.Faults
	if err != nil && !errors.As(err, &faults) {
		t.Fatalf("Read = %v, want faults or none", err)
	}
	if err == nil {
		return nil
	}
	return strings.Split(err.Error(), "\n")
}

// Faults of each kind: none may keep another one from being told.
const faulty = `# ours
apiVersion: gateway-cert-operator.io/v1alpha1
kind: HandlerConfig
defaults:
  allowedHostnames: "a b, c_d"
  attach: yes
  listenerPort: "8443"
  maxListeners: -1
  Attach: x
delivery:
  maxGatherPause: 6s
  sweepOnStart: [1]
trust:
  files: [ca.crt, 5, /a]
  configMaps:
  - name: a
  - {name: b, key: {a: b}}
  - 7
telemetry:
  oauth2:
    issuer: [x]
    clientID: a
authentication:
outcomes: 1.5
outcomes: {reply: often}
"a\nb": 1
`

func TestAllFaultsAreToldAtOnceEachWithItsPlace(t *testing.T) {
	want := []string{
		`f:5:21: defaults.allowedHostnames: Invalid value: "a b, c_d": "a b": it has no A-label form: idna: disallowed rune U+0020; "c_d": it has no A-label form: idna: disallowed rune U+005F`,
		"f:6:11: defaults.attach: want text, in quotes if need be, got true or false",
		"f:7:17: defaults.listenerPort: want a whole number, without quotes, got text",
		`f:8:17: defaults.maxListeners: Invalid value: "-1": want a number from 0`,
		"f:9:3: defaults.Attach: unknown key: take it out, or spell it right, letter case included",
		`f:11:19: delivery.maxGatherPause: Invalid value: "6s": want a duration from 0s to 5s such as 250ms`,
		"f:12:3: delivery.sweepOnStart: want true or false, without quotes, got a list",
		`f:14:11: trust.files[0]: Invalid value: "ca.crt": want an absolute path`,
		"f:14:19: trust.files[1]: want text, in quotes if need be, got a number",
		"f:16:5: trust.configMaps[0].key: Required value: write a key of a ConfigMap",
		"f:17:15: trust.configMaps[1].key: want text, in quotes if need be, got a mapping",
		"f:18:5: trust.configMaps[2]: want a mapping, got a number",
		"f:20:3: telemetry.oauth2.clientSecretFile: Required value: write the absolute path of a file",
		"f:21:5: telemetry.oauth2.issuer: want text, in quotes if need be, got a list",
		"f:23:1: authentication: Required value: it is left open: fill it in, or leave the key out to take everybody's events",
		"f:25:1: outcomes: the key is there twice, first in line 24: keep one",
		"f:25:19: outcomes.reply: want true or false, without quotes, got text",
		"f:26:1: a\ufffdb: unknown key: take it out, or spell it right, letter case included",
	}
	if diff := cmp.Diff(want, told(t, faulty)); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

func TestTheFaultIsWhereItWasWritten(t *testing.T) {
	const wrong = ": defaults.attach: Invalid value: \"x\": want Always or WhenReady"
	for name, tc := range map[string]struct {
		text string // after the header, which has two lines
		want string
	}{
		"the value of a key":              {"defaults:\n  attach: x\n", "f:4:11" + wrong},
		"behind a comment":                {"defaults: # x\n\n  # x\n  attach: x # x\n", "f:6:11" + wrong},
		"in quotes":                       {"defaults: {attach: 'x'}\n", "f:3:20" + wrong},
		"after wide characters":           {"defaults: {\"\\u0061ttach\": é}\n# é", "f:3:27: defaults.attach: Invalid value: \"é\": want Always or WhenReady"},
		"in lines of its own":             {"defaults:\n  ? attach\n  : x\n", "f:5:5" + wrong},
		"lines of Windows":                {"defaults:\r\n  attach: x\r\n", "f:4:11" + wrong},
		"a text in a block":               {"defaults:\n  attach: |-\n    x\n", "f:4:11" + wrong},
		"an alias":                        {"trust: {files: [&a /x]}\ndefaults: {attach: *a}\n", `f:4:20: defaults.attach: Invalid value: "/x": want Always or WhenReady`},
		"a mapping that stands elsewhere": {"trust: {configMaps: [&a {name: a}, *a]}\n", "f:3:22: trust.configMaps[0].key: Required value: write a key of a ConfigMap\nf:3:36: trust.configMaps[1].key: Required value: write a key of a ConfigMap"},
		"a mapping that is merged":        {"defaults: &d {attach: x}\ndelivery: {<<: *d}\n", "f:3:15: delivery.attach: unknown key: take it out, or spell it right, letter case included\nf:3:23" + wrong},
		"one of several that are merged":  {"defaults: &d {attach: x}\ntrust: &t {files: []}\ndelivery: {<<: [*t, *d]}\n", "f:3:15: delivery.attach: unknown key: take it out, or spell it right, letter case included\nf:3:23" + wrong + "\nf:4:12: delivery.files: unknown key: take it out, or spell it right, letter case included"},
		"a key that is missing":           {"authentication:\n  audience: a\n", "f:3:1: authentication.allowed: Required value: name the users that may send events, such as system:serviceaccount:NAMESPACE:NAME"},
		"an item of a list":               {"trust:\n  files:\n  - /a\n  - b\n", `f:6:5: trust.files[1]: Invalid value: "b": want an absolute path`},
		"an item that is left open":       {"trust:\n  files:\n  - /a\n  -\n", `f:6:4: trust.files[1]: Invalid value: "": want an absolute path`},
		"a key with dots":                 {"defaults.attach: x\n", "f:3:1: defaults.attach: unknown key: take it out, or spell it right, letter case included"},
		"a key that is a number":          {"1: x\n", "f:3:1: 1: unknown key: take it out, or spell it right, letter case included"},
		"a key that is empty":             {"\"\": x\n", "f:1:1: unknown key: take it out, or spell it right, letter case included"},
		"a number and a text as keys":     {"1: x\n\"1\": x\n", "f:4:1: 1: the key is there twice, first in line 3: keep one\nf:4:1: 1: unknown key: take it out, or spell it right, letter case included"},
		"a key that is a list":            {"defaults: {? [a] : x}\n", "f:3:14: defaults: a key in it is no text: put it in quotes"},
		"a key that is nothing":           {"~: x\n", "f:3:1: a key in it is no text: put it in quotes"},
		"a number that is none":           {"defaults: {listenerPort: .nan}\n", "f:3:26: defaults.listenerPort: want a number that is finite"},
		"a list of lists":                 {"trust: {files: [[], /a, [x]]}\n", "f:3:17: trust.files[0]: want text, in quotes if need be, got a list\nf:3:25: trust.files[2]: want text, in quotes if need be, got a list"},
		"a syntax error":                  {"defaults: {\n  attach: x\n", "f:4: not YAML: did not find expected ',' or '}'"},
		"a tab":                           {"defaults:\n\tattach: x\n", "f:4: not YAML: found character that cannot start any token"},
		"an anchor that contains itself":  {"defaults: &a {attach: *a}\n", "f:1:1: not YAML: anchor 'a' value contains itself"},
		"an anchor that merges itself":    {"defaults: &a {<<: *a}\n", "f:1:1: not YAML: anchor 'a' value contains itself"},
		"an anchor that is missing":       {"defaults: *a\n", "f: not YAML: unknown anchor 'a' referenced"},
		"a second document":               {"---\nkind: x\n", "f:3:1: several YAML documents in it, parted by --- or ...: keep one"},
		"a key beside one that is merged": {"trust: &t {files: []}\nx: {<<: *t, files: []}\n", "f:4: not YAML: key \"files\" already set in map\nf:4:1: x: unknown key: take it out, or spell it right, letter case included"},
		"a key twice, three times":        {"trust: {}\ntrust: {}\ntrust: {}\n", "f:4:1: trust: the key is there twice, first in line 3: keep one\nf:5:1: trust: the key is there twice, first in line 3: keep one"},
		"a text that is much too long":    {"defaults: {attach: " + strings.Repeat("x", 1000) + "}\n", `f:3:20: defaults.attach: Invalid value: "` + strings.Repeat("x", 61) + `…": want Always or WhenReady`},
		"a text of two lines":             {"defaults: {attach: \"x\\ny\"}\n", `f:3:20: defaults.attach: Invalid value: "x\ny": want Always or WhenReady`},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(strings.Split(tc.want, "\n"), told(t, header+tc.text)); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
}

// Whether something is missing, or goes with the rest, cannot be told then.
func TestWhatHangsOnAValueThatCannotBeReadIsNotJudged(t *testing.T) {
	for text, want := range map[string]string{
		"authentication: {audience: {}, allowed: [a]}\n":                        "f:3:18: authentication.audience: want text, in quotes if need be, got a mapping",
		"authentication: 5\n":                                                   "f:3:17: authentication: want a mapping, got a number",
		"trust: {configMaps: 5}\n":                                              "f:3:21: trust.configMaps: want a list, got a number",
		"telemetry: {oauth2: {issuer: 5, clientID: a, clientSecretFile: /a}}\n": "f:3:30: telemetry.oauth2.issuer: want text, in quotes if need be, got a number",
	} {
		if diff := cmp.Diff([]string{want}, told(t, header+text)); diff != "" {
			t.Errorf("%s: faults (-want +got):\n%s", text, diff)
		}
	}
}

func TestAFileThatIsSomethingElseDoesNotFillTheLog(t *testing.T) {
	for name, text := range map[string]string{
		"wrong values": "trust: {files: [" + strings.Repeat("a, ", 5000) + "]}\n",
		"wrong types":  "trust: {files: [" + strings.Repeat("1, ", 5000) + "]}\n",
		"unknown keys": strings.Repeat("a", 5000) + ": 1\n",
		"keys twice":   strings.Repeat("a: 1\n", 5000),
	} {
		t.Run(name, func(t *testing.T) {
			lines := told(t, header+text)
			if size := len(strings.Join(lines, "\n")); len(lines) == 0 || len(lines) > 101 || size > 20_000 {
				t.Errorf("%d lines of %d bytes in all", len(lines), size)
			}
		})
	}
	lines := told(t, header+"trust: {files: ["+strings.Repeat("a, ", 5000)+"]}\n")
	if last := lines[len(lines)-1]; last != "f: 4900 more faults" {
		t.Errorf("the last line is %q, want the number of those that are left out", last)
	}
	// Each of them would cost another reading of the file.
	if lines := told(t, header+"trust: {files: ["+strings.Repeat("1, ", 5000)+"]}\n"); len(lines) != 21 {
		t.Errorf("%d lines, want 20 wrong types, and that there are more", len(lines))
	}
}
