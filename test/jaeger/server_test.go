package jaeger

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAJaegerThatEndsAtOnceIsToldWithItsLastWords(t *testing.T) {
	_, err := Start(t.Context(), Options{Program: script(t, "echo cannot unmarshal the configuration; exit 1")})
	if err == nil || !strings.Contains(err.Error(), "it ended before it listened; it said: cannot unmarshal the configuration") {
		t.Errorf("the error is %v", err)
	}
}

func TestAStartThatIsGivenUpIsToldWithTheLastWords(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Start(ctx, Options{
		Program: script(t, "echo still busy; exec sleep 60"),
		Log:     writerFunc(cancel), // so the line has come when ctx ends
	})
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "it said: still busy") {
		t.Errorf("the error is %v", err)
	}
}

type writerFunc func()

func (f writerFunc) Write(line []byte) (int, error) {
	f()
	return len(line), nil
}

func TestABinaryOfTheUsersIsTaken(t *testing.T) {
	given := script(t, "true")
	t.Setenv(BinaryVariable, given)
	got, err := Build(t.Context(), t.Output())
	if err != nil {
		t.Fatal(err)
	}
	if got != given {
		t.Errorf("Build = %s, want %s", got, given)
	}
}

func TestABinaryThatCannotBeRunIsRefused(t *testing.T) {
	for name, tc := range map[string]struct{ path, want string }{
		"a relative path":  {"bin/jaeger", "give an absolute one"},
		"nothing is there": {filepath.Join(t.TempDir(), "jaeger"), "it must be a program"},
		"a directory":      {t.TempDir(), "it must be a program"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(BinaryVariable, tc.path)
			_, err := Build(t.Context(), t.Output())
			if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), BinaryVariable+"="+tc.path) {
				t.Errorf("the error is %v, want %q and the variable in it", err, tc.want)
			}
		})
	}
}

// script writes a program that runs a shell command.
func script(t *testing.T, command string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "jaeger")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+command+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}
