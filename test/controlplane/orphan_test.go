package controlplane

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// parentVariable makes a test binary play the parent that is killed.
const parentVariable = "CONTROL_PLANE_TEST_PARENT"

func TestServersEndWithAKilledParent(t *testing.T) {
	if pid := orphanOf(t, "server", t.TempDir()); isRunning(pid) {
		t.Errorf("process %s outlived its parent", pid)
	}
}

func TestProcessesEndWithAKilledParent(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has a parent death signal; elsewhere Ctrl-C reaches children itself")
	}
	if pid := orphanOf(t, "process", t.TempDir()); isRunning(pid) {
		t.Errorf("process %s outlived its parent", pid)
	}
}

func TestDataGoesWithAKilledParent(t *testing.T) {
	temp := t.TempDir()
	orphanOf(t, "server", temp)
	var left []os.DirEntry
	for range 100 {
		var err error
		if left, err = os.ReadDir(temp); err != nil {
			t.Fatal(err)
		}
		if len(left) == 0 {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("%v is left behind", left)
}

// TestParentThatIsKilled is no test of its own but the parent of the others.
func TestParentThatIsKilled(t *testing.T) {
	var pid int
	switch os.Getenv(parentVariable) {
	case "":
		t.Skip("started by the tests that kill it")
	case "server":
		pid = startServer(t)
	case "process":
		p, err := StartProcess(ProcessOptions{Name: "sleep", Path: "/bin/sleep", Args: []string{"300"}})
		if err != nil {
			t.Fatal(err)
		}
		pid = p.PID()
	}
	fmt.Printf("\nchild %d\n", pid)
	time.Sleep(time.Minute)
}

// startServer starts sleep as envtest would start etcd.
func startServer(t *testing.T) int {
	t.Helper()
	line, err := newLifeline()
	if err != nil {
		t.Fatal(err)
	}
	script, _, err := line.place("/bin", "sleep")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(script, "300")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if _, err := os.Stat(filepath.Join(line.dir, "sleep.pid")); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return cmd.Process.Pid
}

// orphanOf has a parent with its own directory for temporary files start a
// child, kills the parent and returns the child's process id once the child
// has ended, or has had time to.
func orphanOf(t *testing.T, kind, temp string) (pid string) {
	t.Helper()
	parent := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestParentThatIsKilled$")
	parent.Env = append(os.Environ(), parentVariable+"="+kind, "TMPDIR="+temp)
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); pid == "" && lines.Scan(); {
		if after, found := strings.CutPrefix(lines.Text(), "child "); found {
			pid = after
		}
	}
	_ = parent.Process.Kill()
	_ = parent.Wait()
	if pid == "" {
		t.Fatal("the parent started no child")
	}
	for range 100 {
		if !isRunning(pid) {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	return pid
}

// isRunning takes a zombie, whose new parent has not looked yet, as ended.
func isRunning(pid string) bool {
	state, _ := exec.Command("ps", "-o", "stat=", "-p", pid).Output()
	return len(state) > 0 && state[0] != 'Z'
}
