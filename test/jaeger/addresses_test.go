package jaeger

import (
	"bytes"
	"io"
	"testing"
)

// Lines as Jaeger 2.13 writes them, without what is not read.
const (
	queryLine    = `{"level":"info","caller":"app/server.go:258","msg":"Query server started","otelcol.component.id":"jaeger_query","http_addr":"127.0.0.1:46033","grpc_addr":"127.0.0.1:36689"}` + "\n"
	receiverLine = `{"level":"info","caller":"otlpreceiver@v0.140.0/otlp.go:178","msg":"Starting HTTP server","otelcol.component.id":"otlp","endpoint":"127.0.0.1:32803"}` + "\n"
	servingLine  = `{"level":"info","caller":"app/server.go:286","msg":"Starting HTTP server","otelcol.component.id":"jaeger_query","port":46033,"addr":"127.0.0.1:0"}` + "\n"
	plainLine    = "2026/11/30 03:13:06 application version: git-commit=, git-version=, build-date=\n"
)

func TestAddressesAreFoundInJaegersLog(t *testing.T) {
	for name, lines := range map[string][]string{
		"as they come":         {plainLine, queryLine, receiverLine, servingLine},
		"the receiver first":   {receiverLine, servingLine, queryLine},
		"each of them twice":   {queryLine, queryLine, receiverLine, receiverLine},
		"the query is serving": {queryLine, servingLine, receiverLine},
	} {
		t.Run(name, func(t *testing.T) {
			f := newAddressFinder(nil)
			write(t, f, lines...)
			if !isComplete(f) || f.otlp != "127.0.0.1:32803" || f.query != "127.0.0.1:46033" {
				t.Errorf("complete %v, OTLP at %q, queries at %q", isComplete(f), f.otlp, f.query)
			}
		})
	}
}

func TestOneAddressIsNotEnough(t *testing.T) {
	for name, line := range map[string]string{"of the query API": queryLine, "of the receiver": receiverLine} {
		t.Run(name, func(t *testing.T) {
			f := newAddressFinder(nil)
			write(t, f, line, servingLine)
			if isComplete(f) {
				t.Errorf("complete with OTLP at %q and queries at %q", f.otlp, f.query)
			}
		})
	}
}

func TestJaegersLogIsPassedOn(t *testing.T) {
	var log bytes.Buffer
	write(t, newAddressFinder(&log), plainLine, queryLine)
	if got, want := log.String(), plainLine+queryLine; got != want {
		t.Errorf("passed on %q, want %q", got, want)
	}
}

func write(t *testing.T, to io.Writer, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(to, line); err != nil {
			t.Fatal(err)
		}
	}
}

func isComplete(f *addressFinder) bool {
	select {
	case <-f.complete:
		return true
	default:
		return false
	}
}
