package faults

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"testing"
)

// megabytes returns what Linux says of the handler's memory, in MB of 1000 kB:
// VmRSS is what is resident, VmHWM the most that has been (proc_pid_status(5)).
func megabytes(t testing.TB, what string) float64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", system.HandlerPID()))
	must(t, err)
	match := regexp.MustCompile(what + `:\s+(\d+) kB`).FindSubmatch(text)
	if match == nil {
		t.Fatalf("the handler's status has no %s", what)
	}
	kibibytes, err := strconv.ParseFloat(string(match[1]), 64)
	must(t, err)
	return kibibytes * 1024 / 1e6
}
