package controlplane

import (
	"debug/elf"
	"path/filepath"
	"strings"
	"testing"
)

var demoTool = Tool{Name: "demo", Module: "example.com/demo", Package: "."}

func TestAToolsDirectoryShowsItsVersion(t *testing.T) {
	base := t.TempDir()
	got := toolTarget(t, toolModule(t), base).dir
	if want := filepath.Join(base, "demo", "v1.2.3-"); !strings.HasPrefix(got, want) {
		t.Errorf("the directory is %s, want it to begin with %s", got, want)
	}
}

func TestAToolsDirectoryChangesWithItsModule(t *testing.T) {
	module, base := toolModule(t), t.TempDir()
	before := toolTarget(t, module, base).dir
	appendTo(t, filepath.Join(module, "go.sum"), "changed\n")
	if after := toolTarget(t, module, base).dir; after == before {
		t.Errorf("the directory is %s before and after", after)
	}
}

func TestAToolsDirectoryIsTheSameForTheSameModule(t *testing.T) {
	base := t.TempDir()
	if one, other := toolTarget(t, toolModule(t), base).dir, toolTarget(t, toolModule(t), base).dir; one != other {
		t.Errorf("equal modules have the directories %s and %s", one, other)
	}
}

func TestAToolIsBuiltIntoItsDirectory(t *testing.T) {
	target := toolTarget(t, toolModule(t), t.TempDir())
	if err := target.ensure(t.Context(), &outputTail{}); err != nil {
		t.Fatal(err)
	}
	if err := checkExecutable(target.dir, "demo"); err != nil {
		t.Error(err)
	}
}

func TestAToolThatItsModuleDoesNotRequireIsNamed(t *testing.T) {
	module := toolModule(t)
	write(t, filepath.Join(module, "go.mod"), "module m\n")
	_, err := demoTool.target(t.Context(), module, t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "does not require example.com/demo") {
		t.Errorf("the error is %v", err)
	}
}

func TestAStaticToolNeedsNoLibrary(t *testing.T) {
	module := toolModule(t)
	// A program with cgo, which would want the C library.
	write(t, filepath.Join(module, "main.go"), "package main\n\nimport \"C\"\n\nfunc main() {}\n")
	static := demoTool
	static.Static = true
	target, err := static.target(t.Context(), module, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := target.ensure(t.Context(), &outputTail{}); err != nil {
		t.Fatal(err)
	}
	program, err := elf.Open(filepath.Join(target.dir, "demo"))
	if err != nil {
		t.Skipf("only programs for ELF are looked at: %v", err)
	}
	defer program.Close()
	if libraries, err := program.ImportedLibraries(); len(libraries) > 0 {
		t.Errorf("it needs %v (%v)", libraries, err)
	}
}

func TestAToolsDirectoryChangesWithHowItIsBuilt(t *testing.T) {
	module, base := toolModule(t), t.TempDir()
	static, kubernetes := demoTool, demoTool
	static.Static, kubernetes.Kubernetes = true, true
	seen := map[string]bool{}
	for _, tool := range []Tool{demoTool, static, kubernetes} {
		target, err := tool.target(t.Context(), module, base)
		if err != nil {
			t.Fatal(err)
		}
		seen[target.dir] = true
	}
	if len(seen) != 3 {
		t.Errorf("the directories are %v", seen)
	}
}

func TestAToolOfKubernetesIsToldItsVersion(t *testing.T) {
	kubernetes := demoTool
	kubernetes.Kubernetes = true
	target, err := kubernetes.target(t.Context(), toolModule(t), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if flags := target.programs[0].ldflags; !strings.Contains(flags, "gitVersion=v1.2.3") {
		t.Errorf("the linker's flags are %s", flags)
	}
}

// toolModule makes a nested module that demoTool can be built in.
func toolModule(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"),
		"module m\n\ngo 1.26\n\nrequire example.com/demo v1.2.3\n\nreplace example.com/demo => ./demo\n")
	write(t, filepath.Join(dir, "demo", "go.mod"), "module example.com/demo\n\ngo 1.26\n")
	write(t, filepath.Join(dir, "main.go"), "package main\n\nfunc main() {}\n")
	return dir
}

func toolTarget(t *testing.T, module, base string) target {
	t.Helper()
	target, err := demoTool.target(t.Context(), module, base)
	if err != nil {
		t.Fatal(err)
	}
	return target
}
