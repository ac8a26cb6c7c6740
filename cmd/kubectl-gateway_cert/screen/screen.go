// Package screen lays out lines for a terminal: columns, and colours where there
// are eyes for them.
package screen

import (
	"bytes"
	"io"
	"strings"

	"k8s.io/cli-runtime/pkg/printers"
)

// Colour is what a whole line is shown in.
type Colour string

// The colours, as SGR parameters of ECMA-48. The zero value is the terminal's own.
const (
	Plain  Colour = ""
	Bold   Colour = "1"
	Faint  Colour = "2"
	Red    Colour = "31"
	Green  Colour = "32"
	Yellow Colour = "33"
)

// Page is lines to come. The zero value is an empty one.
type Page struct {
	lines   []string
	colours []Colour
}

// Line adds a line. Cells of lines that follow each other stand in columns.
func (p *Page) Line(colour Colour, cells ...string) {
	shown := make([]string, len(cells))
	for i, cell := range cells {
		shown[i] = Clean(cell)
	}
	p.lines = append(p.lines, strings.Join(shown, "\t"))
	p.colours = append(p.colours, colour)
}

// Empty reports whether there is no line.
func (p *Page) Empty() bool { return len(p.lines) == 0 }

// Print writes the lines, with colours only if asked to.
func (p *Page) Print(out io.Writer, coloured bool) error {
	var laidOut bytes.Buffer
	columns := printers.GetNewTabWriter(&laidOut)
	for _, line := range p.lines {
		if _, err := io.WriteString(columns, line+"\n"); err != nil {
			return err
		}
	}
	if err := columns.Flush(); err != nil {
		return err
	}
	text := strings.Split(laidOut.String(), "\n")
	for i, colour := range p.colours {
		text[i] = strings.TrimRight(text[i], " ")
		if coloured && colour != Plain && text[i] != "" {
			text[i] = "\x1b[" + string(colour) + "m" + text[i] + "\x1b[0m"
		}
	}
	_, err := io.WriteString(out, strings.Join(text, "\n"))
	return err
}

// Coloured reports whether to print colours: only on a terminal that can show
// them, and never where NO_COLOR is set (https://no-color.org).
func Coloured(out io.Writer) bool { return printers.AllowsColorOutput(out) }

// Clean takes what others have written, such as the message of a condition, into
// one cell or line: it must not move the cursor or break the columns.
func Clean(cell string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return ' '
		case r < ' ' || r >= 0x7f && r < 0xa0: // C0 and C1, ESC and CSI among them
			return '?'
		}
		return r
	}, strings.TrimRight(cell, " \n"))
}
