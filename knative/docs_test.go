package knative_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/util/jsonpath"
	"sigs.k8s.io/yaml"
)

const (
	deployPage   = "../docs/deploy.md"
	outcomesPage = "../docs/outcomes.md"
	trustPage    = "../docs/trust.md"
)

func page(t testing.TB) string {
	t.Helper()
	return pageAt(t, deployPage)
}

func pageAt(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("read the page: %v", err)
	}
	return string(data)
}

// The example on disk is what the other tests build.
func TestYAMLInTheDocumentationIsAnExampleOnDisk(t *testing.T) {
	var examples []string
	files, err := filepath.Glob("examples/*/*.yaml")
	if err != nil {
		t.Fatalf("list the examples: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("read an example: %v", err)
		}
		examples = append(examples, string(data))
	}
	for _, path := range []string{deployPage, outcomesPage, trustPage} {
		shown := fences(pageAt(t, path))
		if len(shown) == 0 {
			t.Errorf("%s shows no YAML", path)
		}
		for i, fence := range shown {
			if !slices.Contains(examples, fence) {
				t.Errorf("%s: fence %d is none of %v:\n%s", path, i+1, files, fence)
			}
		}
	}
}

var tableRow = regexp.MustCompile(`(?m)^\| ([A-Z]\w+) \| ([a-z-]+) \|`)

func TestTheDocumentationListsExactlyWhatIsApplied(t *testing.T) {
	var listed, applied []string
	for _, row := range tableRow.FindAllStringSubmatch(page(t), -1) {
		listed = append(listed, row[1]+" "+row[2])
	}
	for _, object := range buildOnDisk(t, base) {
		applied = append(applied, object.GetKind()+" "+object.GetName())
	}
	slices.Sort(listed)
	slices.Sort(applied)
	if diff := cmp.Diff(applied, listed); diff != "" {
		t.Errorf("(-applied +listed):\n%s", diff)
	}
}

var componentRow = regexp.MustCompile("(?m)^\\| \\[`([a-z-]+)`\\]\\(")

func TestTheDocumentationListsEveryComponent(t *testing.T) {
	var listed, there []string
	for _, row := range componentRow.FindAllStringSubmatch(page(t), -1) {
		listed = append(listed, row[1])
	}
	entries, err := os.ReadDir("components")
	if err != nil {
		t.Fatalf("list the components: %v", err)
	}
	for _, entry := range entries {
		there = append(there, entry.Name())
	}
	slices.Sort(listed)
	slices.Sort(there)
	if diff := cmp.Diff(there, listed); diff != "" {
		t.Errorf("components (-on disk +listed):\n%s", diff)
	}
}

var (
	directoryGiven = regexp.MustCompile(`(?m)^kubectl (?:apply|delete) -k (\S+)$`)
	pathGiven      = regexp.MustCompile(`-o jsonpath='([^']+)'`)
	kindsGiven     = regexp.MustCompile(`(?m)^kubectl -n gateway-cert get (\S+)$`)
)

func TestTheDirectoriesInTheDocumentationBuild(t *testing.T) {
	given := directoryGiven.FindAllStringSubmatch(page(t), -1)
	if len(given) != 4 {
		t.Fatalf("the page has %d commands with a directory, want three to apply and one to delete", len(given))
	}
	for _, command := range given {
		if len(buildOnDisk(t, "../"+command[1])) == 0 {
			t.Errorf("%s builds nothing", command[0])
		}
	}
}

// Run on the Deployment that Knative's own release is made from.
func TestTheDocumentationFindsTheAdapterImage(t *testing.T) {
	given := pathGiven.FindStringSubmatch(page(t))
	if given == nil {
		t.Fatal("the page has no command with a jsonpath")
	}
	data, err := os.ReadFile(filepath.Join(moduleDir(t, eventingModule), "config", "core", "deployments", "controller.yaml"))
	if err != nil {
		t.Fatalf("read Knative's controller: %v", err)
	}
	// The service account stands in the same file, as a document of its own.
	for _, document := range betweenDocuments.Split(string(data), -1) {
		var deployment map[string]any
		if err := yaml.Unmarshal([]byte(document), &deployment); err != nil {
			t.Fatalf("decode Knative's controller: %v", err)
		}
		if deployment["kind"] != "Deployment" {
			continue
		}
		found, err := evaluate(given[1], deployment)
		if err != nil {
			t.Fatal(err)
		}
		if want := "ko://knative.dev/eventing/cmd/apiserver_receive_adapter"; found != want {
			t.Errorf("the command says %q, want %q", found, want)
		}
		return
	}
	t.Fatal("no Deployment in the file of Knative's controller")
}

func evaluate(path string, object any) (string, error) {
	query := jsonpath.New("page")
	if err := query.Parse(path); err != nil {
		return "", fmt.Errorf("parse %s: %w", path, err)
	}
	var out bytes.Buffer
	if err := query.Execute(&out, object); err != nil {
		return "", fmt.Errorf("evaluate %s: %w", path, err)
	}
	return out.String(), nil
}

func TestKubectlKnowsTheKindsInTheDocumentation(t *testing.T) {
	given := kindsGiven.FindAllStringSubmatch(page(t), -1)
	if len(given) != 2 {
		t.Fatalf("the page has %d commands that show objects, want one for the base and one for the Broker", len(given))
	}
	var known []string
	for _, crd := range knativeCRDs(t) {
		names := crd.Spec.Names
		known = append(append(known, names.Plural, names.Singular), names.ShortNames...)
	}
	for _, command := range given {
		for kind := range strings.SplitSeq(command[1], ",") {
			if !slices.Contains(known, kind) {
				t.Errorf("kubectl knows no %q", kind)
			}
		}
	}
}
