package screen

import (
	"encoding/json"
	"fmt"
	"io"

	"sigs.k8s.io/yaml"
)

// Report is what a command has to show.
type Report interface {
	// Page lays it out for people; wide adds what is left out for lack of room.
	Page(wide bool) *Page
}

// Format is an output format, as kubectl names them.
type Format string

// The formats.
const (
	Table Format = "table"
	Wide  Format = "wide"
	JSON  Format = "json"
	YAML  Format = "yaml"
)

// Show writes the report in the format. Colours are for tables alone.
func Show(out io.Writer, report Report, format Format) error {
	switch format {
	case Table, Wide:
		return report.Page(format == Wide).Print(out, Coloured(out))
	default:
		return Encode(out, report, format)
	}
}

// Encode writes a value for programs. An unknown format is an error.
func Encode(out io.Writer, value any, format Format) error {
	var text []byte
	var err error
	switch format {
	case JSON:
		text, err = json.MarshalIndent(value, "", "    ")
		text = append(text, '\n')
	case YAML:
		text, err = yaml.Marshal(value)
	default:
		return fmt.Errorf("no output format is called %q", format)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", format, err)
	}
	_, err = out.Write(text)
	return err
}
