package knative_test

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
)

const (
	gatewayAPIModule  = "sigs.k8s.io/gateway-api"
	certManagerModule = "github.com/cert-manager/cert-manager"
	eventingModule    = "knative.dev/eventing"
	servingModule     = "knative.dev/serving"
)

// moduleDir is where the go command keeps the files of a module that go.mod
// requires. Schemas and manifests are read from there, so that the version
// tested against is the version in go.mod.
func moduleDir(t testing.TB, module string) string {
	t.Helper()
	dir := goCommand(t, "list", "-m", "-f", "{{.Dir}}", module)
	if dir == "" {
		t.Fatalf("find the files of %s: not downloaded, run: go mod download", module)
	}
	return dir
}

// repositoryRoot is the directory of this module's go.mod.
func repositoryRoot(t testing.TB) string {
	t.Helper()
	return goCommand(t, "list", "-m", "-f", "{{.Dir}}")
}

func goCommand(t testing.TB, args ...string) string {
	t.Helper()
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("run go %s: %v: %s", strings.Join(args, " "), err, exit.Stderr)
		}
		t.Fatalf("run go %s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out))
}
