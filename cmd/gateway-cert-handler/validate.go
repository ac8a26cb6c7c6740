package main

import (
	"errors"
	"flag"
	"fmt"
	"io"

	"gateway-cert-operator.io/gateway-cert-handler/config"
)

const validateUsage = `Check settings files, and start nothing.

Each FILE is judged as it is when the handler starts with it. Everything that is
wrong is told at once, a line for each fault: FILE:LINE:COLUMN: KEY: what is wrong.

Usage:
  gateway-cert-handler validate FILE...

FILE is a path, or - for the standard input.

Examples:
  # Before settings are applied
  gateway-cert-handler validate config.yaml

  # Settings as they are in a cluster
  kubectl -n gateway-cert get configmap NAME -o jsonpath='{.data.config\.yaml}' | gateway-cert-handler validate -

Exit codes:
  0  all files are valid
  1  a file is not, or cannot be read
  2  wrong usage
`

// streams are what a command reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// validate judges settings files, and returns the exit code.
func validate(args []string, std streams) int {
	flags := flag.NewFlagSet("gateway-cert-handler validate", flag.ContinueOnError)
	flags.SetOutput(std.err)
	flags.Usage = func() { fmt.Fprint(flags.Output(), validateUsage) }
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case flags.NArg() == 0:
		fmt.Fprintln(std.err, "gateway-cert-handler validate takes at least one FILE; see -help")
		return 2
	}
	code := 0
	for _, file := range flags.Args() {
		if err := judge(file, std.in); err != nil {
			fmt.Fprintln(std.err, err)
			code = 1
			continue
		}
		fmt.Fprintf(std.out, "%s: valid\n", file)
	}
	return code
}

func judge(file string, stdin io.Reader) error {
	if file == "-" {
		_, err := config.Read(file, stdin, settingsOptions...)
		return err
	}
	_, err := config.Load(file, settingsOptions...)
	return err
}
