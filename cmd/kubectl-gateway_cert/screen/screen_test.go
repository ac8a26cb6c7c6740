package screen_test

import (
	"os"
	"strings"
	"testing"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/screen"
)

func printed(t *testing.T, coloured bool, build func(*screen.Page)) string {
	t.Helper()
	var page screen.Page
	build(&page)
	var out strings.Builder
	if err := page.Print(&out, coloured); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestCellsStandInColumnsWithoutBlanksAtTheEnd(t *testing.T) {
	got := printed(t, false, func(p *screen.Page) {
		p.Line(screen.Bold, "NAME", "STATE", "")
		p.Line(screen.Red, "a-long-name", "ok", "")
	})
	if want := "NAME          STATE\na-long-name   ok\n"; got != want {
		t.Errorf("it prints\n%q, want\n%q", got, want)
	}
}

func TestColoursAreAroundTheWholeLineSoThatColumnsStay(t *testing.T) {
	got := printed(t, true, func(p *screen.Page) {
		p.Line(screen.Plain, "a", "b")
		p.Line(screen.Green, "aaaaaaaa", "b")
	})
	if want := "a          b\n\x1b[32maaaaaaaa   b\x1b[0m\n"; got != want {
		t.Errorf("it prints\n%q, want\n%q", got, want)
	}
}

func TestWhatOthersHaveWrittenCannotMoveTheCursor(t *testing.T) {
	got := printed(t, false, func(p *screen.Page) { p.Line(screen.Plain, "a\x1b[2J\u009b31m\r\nb\tc", "é") })
	if want := "a?[2J?31m  b c   é\n"; got != want {
		t.Errorf("it prints %q, want %q", got, want)
	}
}

func TestNothingButATerminalIsColoured(t *testing.T) {
	file, err := os.Create(t.TempDir() + "/out")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if screen.Coloured(file) || screen.Coloured(&strings.Builder{}) {
		t.Error("a file or a buffer is coloured")
	}
}

// The side of a pseudo-terminal that programs do not see is a terminal too.
func TestATerminalIsColouredUnlessItsUserWantsNone(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("there is no terminal to try it on: %v", err)
	}
	defer terminal.Close()
	for _, tc := range []struct {
		variable, value string
		want            bool
	}{
		{"TERM", "xterm", true},
		{"TERM", "dumb", false},
		{"NO_COLOR", "1", false},
	} {
		t.Run(tc.variable+"="+tc.value, func(t *testing.T) {
			t.Setenv("TERM", "xterm")
			unset(t, "NO_COLOR")
			t.Setenv(tc.variable, tc.value)
			if got := screen.Coloured(terminal); got != tc.want {
				t.Errorf("coloured: %v, want %v", got, tc.want)
			}
		})
	}
}

// unset is t.Setenv for no value at all: an empty NO_COLOR counts too.
func unset(t *testing.T, variable string) {
	t.Helper()
	t.Setenv(variable, "")
	if err := os.Unsetenv(variable); err != nil {
		t.Fatal(err)
	}
}
