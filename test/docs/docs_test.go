// Package docs holds the pages for people to what the code says.
package docs

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/modfile"

	"gateway-cert-operator.io/gateway-cert-handler/config"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile"
	"gateway-cert-operator.io/gateway-cert-handler/reconcile/plan"
)

func read(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{"..", ".."}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// firstColumn returns the first cells of all table rows after a heading, up to
// the next heading, without back quotes. An empty heading means the whole page.
func firstColumn(page, heading string) []string {
	_, page, _ = strings.Cut(page, heading)
	if heading != "" {
		page, _, _ = strings.Cut(page, "\n## ")
	}
	var cells []string
	for line := range strings.SplitSeq(page, "\n") {
		row, ok := strings.CutPrefix(line, "| ")
		if !ok || strings.HasPrefix(row, "-") {
			continue
		}
		cell, _, _ := strings.Cut(row, " |")
		cells = append(cells, strings.Trim(cell, "`"))
	}
	return cells
}

// constantsOf returns the values of a file's string constants of a type.
func constantsOf(t *testing.T, typeName string, path ...string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(append([]string{"..", ".."}, path...)...), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if ident, ok := spec.Type.(*ast.Ident); ok && ident.Name == typeName {
			value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, value)
		}
		return true
	})
	slices.Sort(values)
	return values
}

func TestTheContractListsEveryReason(t *testing.T) {
	cells := firstColumn(read(t, "docs", "contract.md"), "## Reasons")[1:]
	slices.Sort(cells)
	if diff := cmp.Diff(constantsOf(t, "Reason", "reconcile", "plan", "reason.go"), cells); diff != "" {
		t.Errorf("reasons (-code +docs/contract.md):\n%s", diff)
	}
}

func TestTheTrustPageListsEveryRefusalWithItsWayOut(t *testing.T) {
	page := read(t, "docs", "trust.md")
	reasons := constantsOf(t, "Reason", "config", "trust", "reason.go")
	for _, reason := range reasons {
		what, wayOut, _ := strings.Cut(reason, "; ")
		if row := "\n| " + what + " | " + wayOut + " |\n"; wayOut == "" || !strings.Contains(page, row) {
			t.Errorf("docs/trust.md has no row %s", row)
		}
	}
	if rows := len(firstColumn(page, "## Why one is refused")) - 1; rows != len(reasons) {
		t.Errorf("docs/trust.md has %d rows, there are %d reasons", rows, len(reasons))
	}
}

func TestTheTracingPageListsEveryVerdict(t *testing.T) {
	page := read(t, "docs", "tracing.md")
	cells := firstColumn(page[strings.Index(page, "| `gateway_cert.verdict`"):], "")[1:]
	slices.Sort(cells)
	if diff := cmp.Diff(constantsOf(t, "Verdict", "reconcile", "outcome.go"), cells); diff != "" {
		t.Errorf("verdicts (-code +docs/tracing.md):\n%s", diff)
	}
}

func TestTheTracingPageNamesOnlyAttributesThatAreSet(t *testing.T) {
	code := read(t, "reconcile", "trace.go") + read(t, "reconcile", "spanevents.go")
	for _, attribute := range regexp.MustCompile(`gateway_cert\.[a-z_.]+[a-z]`).FindAllString(read(t, "docs", "tracing.md"), -1) {
		if !strings.Contains(code, `"`+attribute+`"`) {
			t.Errorf("no span has the attribute or event %s", attribute)
		}
	}
}

func TestThePagesListEverySetting(t *testing.T) {
	for _, section := range []struct {
		page, heading string
		settings      reflect.Type
	}{
		{"deploy.md", "## Defaults for all Gateways", reflect.TypeFor[config.Defaults]()},
		{"deploy.md", "## Delivery", reflect.TypeFor[config.Delivery]()},
		{"outcomes.md", "## In the answer", reflect.TypeFor[config.Outcomes]()},
	} {
		var keys []string
		for field := range section.settings.Fields() {
			key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			keys = append(keys, key)
		}
		cells := firstColumn(read(t, "docs", section.page), section.heading)[1:]
		if diff := cmp.Diff(keys, cells); diff != "" {
			t.Errorf("keys under %q (-code +docs/%s):\n%s", section.heading, section.page, diff)
		}
	}
}

func TestTheDeployPageKnowsTheGatherPause(t *testing.T) {
	row := regexp.MustCompile("(?m)^\\| `maxGatherPause` .*$").FindString(read(t, "docs", "deploy.md"))
	if want := fmt.Sprintf("| `%s` |", reconcile.DefaultMaxGather); !strings.HasSuffix(row, want) {
		t.Errorf("the row is %q, want it to end with %q", row, want)
	}
}

func TestTheDependencyPageListsTheDirectDependencies(t *testing.T) {
	file, err := modfile.Parse("go.mod", []byte(read(t, "go.mod")), nil)
	if err != nil {
		t.Fatal(err)
	}
	direct := map[string]bool{}
	for _, require := range file.Require {
		if !require.Indirect {
			direct[require.Mod.Path] = true
		}
	}
	page := read(t, "docs", "dependencies.md")
	cells := slices.DeleteFunc(firstColumn(page, ""), func(cell string) bool { return cell == "module" })
	slices.Sort(cells)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(direct)), cells); diff != "" {
		t.Errorf("direct dependencies (-go.mod +docs/dependencies.md):\n%s", diff)
	}
}

func TestTheHandlerIsBuiltFromTheFirstDependencyTableAlone(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", "../../cmd/gateway-cert-handler").Output()
	if err != nil {
		t.Fatal(err)
	}
	used := strings.Fields(string(out))
	page := read(t, "docs", "dependencies.md")
	for _, module := range firstColumn(page, "## In the handler")[1:] {
		if !slices.Contains(used, module) {
			t.Errorf("%s is not in the handler", module)
		}
	}
	for _, module := range firstColumn(page, "## In tests and tools only")[1:] {
		// The OTLP exporter brings its own wire format along.
		transitive := []string{"go.opentelemetry.io/proto/otlp", "google.golang.org/protobuf", "k8s.io/apiextensions-apiserver"}
		if slices.Contains(used, module) && !slices.Contains(transitive, module) {
			t.Errorf("%s is in the handler", module)
		}
	}
}

func TestTheContractsCommandMakesTheLabelOfALongName(t *testing.T) {
	page := read(t, "docs", "contract.md")
	_, script, _ := strings.Cut(page, "```sh\n")
	script, _, _ = strings.Cut(script, "```")
	for _, name := range []string{
		strings.Repeat("g", 80),
		strings.Repeat("g", 52) + "-." + strings.Repeat("h", 40),
	} {
		out, err := exec.CommandContext(t.Context(), "sh", "-c", strings.Replace(script, "<the full name>", name, 1)).Output()
		if err != nil {
			t.Fatal(err)
		}
		if got, want := strings.TrimSpace(string(out)), plan.GatewayNameLabel(name); got != want {
			t.Errorf("for %s the command prints %s, want %s", name, got, want)
		}
	}
}

// A page that points at a file must not outlive it.
func TestLinksBetweenPagesLeadSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)\)`)
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, "../../README.md", "../controlplane/README.md", "../jaeger/README.md", "../knative/README.md", "../peers/README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range link.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), found[1])); err != nil {
				t.Errorf("%s links to %s: %v", page, found[1], err)
			}
		}
	}
}
