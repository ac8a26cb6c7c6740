package controlplane

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// lifeline makes etcd and kube-apiserver end with this process. envtest puts
// them into process groups of their own and ends them in its Stop only, so
// after a panic, a test timeout or a kill they would run on for ever.
//
// A small shell waits at a pipe that this process holds open. When the pipe
// ends without a word, this process is gone, and the shell kills the servers
// and removes their data.
type lifeline struct {
	dir     string
	watcher *exec.Cmd
	held    io.WriteCloser
}

// watcherScript gets the lifeline's directory as $1.
const watcherScript = `
trap '' INT
read -r word && exit 0
for file in "$1"/*.pid; do kill -KILL "$(cat "$file")"; done
sleep 1
rm -rf "$1"
`

func newLifeline() (*lifeline, error) {
	dir, err := os.MkdirTemp("", "control-plane-")
	if err != nil {
		return nil, fmt.Errorf("create a directory for the control plane's data (TMPDIR moves it): %w", err)
	}
	l := &lifeline{dir: dir, watcher: exec.Command("/bin/sh", "-c", watcherScript, "control-plane-watcher", dir)}
	l.held, err = l.watcher.StdinPipe()
	if err == nil {
		err = l.watcher.Start()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("watch over the control plane: %w", err), os.RemoveAll(dir))
	}
	return l, nil
}

// place returns a script that starts the program name in dir under the
// lifeline, and a directory for the program's data.
func (l *lifeline) place(dir, name string) (script, data string, err error) {
	data = filepath.Join(l.dir, name+"-data")
	if err := os.Mkdir(data, 0o700); err != nil {
		return "", "", fmt.Errorf("create the data directory of %s: %w", name, err)
	}
	// exec keeps the process id, so the noted one is the program's.
	text := fmt.Sprintf("#!/bin/sh\necho $$ >%s\nexec %s \"$@\"\n",
		shellQuote(filepath.Join(l.dir, name+".pid")), shellQuote(filepath.Join(dir, name)))
	script = filepath.Join(l.dir, name)
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		return "", "", fmt.Errorf("write the start script of %s: %w", name, err)
	}
	return script, data, nil
}

// close sends the watcher home and removes the data; the servers must have
// ended.
func (l *lifeline) close() error {
	_, err := io.WriteString(l.held, "done\n")
	err = errors.Join(err, l.held.Close(), l.watcher.Wait(), os.RemoveAll(l.dir))
	if err != nil {
		return fmt.Errorf("clear away the control plane's data: %w", err)
	}
	return nil
}

func shellQuote(text string) string {
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
