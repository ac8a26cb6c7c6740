package rules

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fieldsOf returns the fields that an expression can name.
func fieldsOf(prefix string, of reflect.Type) (all []string) {
	for field := range of.Fields() {
		name := prefix + "." + field.Tag.Get("cel")
		if field.Type.Kind() == reflect.Struct {
			all = append(all, fieldsOf(name, field.Type)...)
			continue
		}
		all = append(all, name)
	}
	return all
}

func TestThePageListsEveryVariable(t *testing.T) {
	page, err := os.ReadFile("../../docs/settings.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z]+\\.[A-Za-z.]+)` \\| ([^|]*) \\|").FindAllStringSubmatch(string(page), -1) {
		listed = append(listed, row[1])
		env, err := environment()
		if err != nil {
			t.Fatal(err)
		}
		checked, issues := env.Compile(row[1])
		if issues.Err() != nil || checked.OutputType().String() != row[2] {
			t.Errorf("%s is listed with type %s: %v", row[1], row[2], issues.Err())
		}
	}
	want := slices.Concat(
		fieldsOf("listener", reflect.TypeFor[listener]()), fieldsOf("certificate", reflect.TypeFor[certificate]()), fieldsOf("gateway", reflect.TypeFor[gateway]()),
	)
	if diff := cmp.Diff(want, listed); diff != "" {
		t.Errorf("variables (-code +docs/settings.md):\n%s", diff)
	}
}
