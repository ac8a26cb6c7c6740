package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	validSettings  = "apiVersion: gateway-cert-operator.io/v1alpha1\nkind: HandlerConfig\n"
	faultySettings = validSettings + "defaults:\n  attach: Never\ndelivery:\n  sweepOnStart: never\n"
)

// faultsIn are the lines that faultySettings in a file lead to.
func faultsIn(file string) string {
	return fmt.Sprintf("%[1]s:4:11: defaults.attach: Invalid value: \"Never\": want Always or WhenReady\n"+
		"%[1]s:6:17: delivery.sweepOnStart: want true or false, without quotes, got text\n", file)
}

func TestValidateTellsEveryFaultOfEveryFile(t *testing.T) {
	valid, faulty := settings(t, validSettings), settings(t, faultySettings)
	missing := filepath.Join(t.TempDir(), "missing.yaml")
	for _, tc := range []struct {
		name        string
		args        []string
		stdin       string
		code        int
		stdout, err string
	}{
		{"a valid file", []string{valid}, "", 0, valid + ": valid\n", ""},
		{"a faulty file", []string{faulty}, "", 1, "", faultsIn(faulty)},
		{"one of each", []string{faulty, valid}, "", 1, valid + ": valid\n", faultsIn(faulty)},
		{"a valid standard input", []string{"-"}, validSettings, 0, "-: valid\n", ""},
		{"a faulty standard input", []string{"-"}, faultySettings, 1, "", faultsIn("-")},
		{"a file that is not there", []string{missing, valid}, "", 1, valid + ": valid\n", "read settings: open " + missing + ": no such file or directory\n"},
		{"no file", nil, "", 2, "", "gateway-cert-handler validate takes at least one FILE; see -help\n"},
		{"help", []string{"-help"}, "", 0, "", validateUsage},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := validate(tc.args, streams{in: strings.NewReader(tc.stdin), out: &stdout, err: &stderr})
			if code != tc.code || stdout.String() != tc.stdout || stderr.String() != tc.err {
				t.Errorf("it left with %d and said\n%s\nand\n%s\nwant %d,\n%s\nand\n%s", code, stdout.String(), stderr.String(), tc.code, tc.stdout, tc.err)
			}
		})
	}
}

func TestAFlagThatValidateDoesNotKnowIsWrongUsage(t *testing.T) {
	var stderr bytes.Buffer
	code := command(t.Context(), []string{"validate", "-nonsense", "x"}, &bytes.Buffer{}, &stderr)
	if code != 2 || !strings.Contains(stderr.String(), "-nonsense") {
		t.Errorf("it left with %d and said %q", code, stderr.String())
	}
}

func TestAProcessThatStartsWithFaultySettingsTellsThemAsValidateDoes(t *testing.T) {
	file := settings(t, faultySettings)
	for _, args := range [][]string{{"validate", file}, {"-config", file}} {
		var stderr bytes.Buffer
		code := command(t.Context(), args, &bytes.Buffer{}, &stderr)
		if code != 1 || !strings.HasPrefix(stderr.String(), faultsIn(file)) {
			t.Errorf("%q left with %d and said\n%s\nwant it to begin with\n%s", args, code, stderr.String(), faultsIn(file))
		}
		if args[0] == "-config" && !strings.Contains(stderr.String(), "have 2 faults") {
			t.Errorf("the log is\n%s\nwant a line that counts the faults", stderr.String())
		}
	}
}

// The page shows what people will see.
func TestThePageShowsFaultsAsTheyAreTold(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "deploy.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "```text\n"+faultsIn("config.yaml")+"```") {
		t.Errorf("docs/deploy.md lacks\n%s", faultsIn("config.yaml"))
	}
}
