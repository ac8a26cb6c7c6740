package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/screen"
	"gateway-cert-operator.io/gateway-cert-handler/cmd/kubectl-gateway_cert/view"
)

// output is the format that -o names.
type output struct {
	name    string
	formats []screen.Format
}

// addFlag takes the formats that the command knows; the first is the default.
func (o *output) addFlag(command *cobra.Command, formats ...screen.Format) {
	o.formats = formats
	names := make([]string, len(formats))
	for i, format := range formats {
		names[i] = string(format)
	}
	command.Flags().StringVarP(&o.name, "output", "o", names[0], "Output format. One of: ("+strings.Join(names, ", ")+").")
	must(command.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp)))
}

// format refuses what the command does not know.
func (o *output) format() (screen.Format, error) {
	format := screen.Format(o.name)
	if slices.Contains(o.formats, format) {
		return format, nil
	}
	text := string(o.formats[0])
	for i, known := range o.formats[1:] {
		glue := ", "
		if i == len(o.formats)-2 {
			glue = " or "
		}
		text += glue + string(known)
	}
	return "", fmt.Errorf("--output must be %s", text)
}

// warnOf says which rights were missing, as kubectl says its warnings.
func warnOf(out io.Writer, gaps []view.Gap) {
	for _, gap := range gaps {
		fmt.Fprintf(out, "Warning: %s\n", gap)
	}
}

// must is for what only a fault in this program can make fail.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
