package sources

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/wait"
)

// shell runs commands as they stand on a page, in a directory, with kubectl on PATH
// and as the admin.
type shell struct{ dir string }

func (s *shell) output(command string) (string, error) {
	cmd := exec.CommandContext(system.ctx, "sh", "-ec", command)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "KUBECONFIG="+system.Kubeconfig(),
		"PATH="+filepath.Dir(system.KubectlPath())+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func (s *shell) run(t *testing.T, command string) {
	t.Helper()
	if out, err := s.output(command); err != nil {
		t.Fatalf("%s: %v:\n%s", command, err, out)
	}
}

// expect waits until the command prints what is wanted.
func (s *shell) expect(t *testing.T, command, want string) {
	t.Helper()
	var got string
	err := wait.PollUntilContextTimeout(t.Context(), pollEach, patience, true, func(context.Context) (bool, error) {
		var err error
		got, err = s.output(command)
		return got == want, err
	})
	if err != nil {
		t.Fatalf("%s prints\n%s\nwant\n%s", command, got, want)
	}
}
