package docs

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	roleWritten = regexp.MustCompile(`(?m)^kind: (?:Cluster)?Role\nmetadata:\n  name: (\S+)`)
	testNamed   = regexp.MustCompile("`(Test\\w+)` in \\[[^]]+]\\(\\.\\./([^)]+)\\)")
)

// rolesWritten are the roles in the base and the components.
func rolesWritten(t *testing.T) []string {
	t.Helper()
	var roles []string
	for _, pattern := range []string{"base/*.yaml", "components/*/*.yaml"} {
		files, err := filepath.Glob("../../knative/" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			for _, role := range roleWritten.FindAllStringSubmatch(read(t, strings.TrimPrefix(file, "../../")), -1) {
				roles = append(roles, role[1])
			}
		}
	}
	slices.Sort(roles)
	return roles
}

// A role without a row is one of which nobody has seen that its rights are least.
func TestTheSecurityPageNamesATestForEachRole(t *testing.T) {
	var named []string
	for _, row := range rows(read(t, "docs", "security.md"), "## What the handler may do") {
		role := strings.Trim(row[0], " `")
		named = append(named, role)
		tests := testNamed.FindAllStringSubmatch(row[2], -1)
		if len(tests) == 0 {
			t.Errorf("%s: the row names no test: %s", role, row[2])
		}
		for _, test := range tests {
			if !strings.Contains(read(t, test[2]), "\nfunc "+test[1]+"(t *testing.T) {\n") {
				t.Errorf("%s: there is no %s in %s", role, test[1], test[2])
			}
		}
	}
	slices.Sort(named)
	if diff := cmp.Diff(rolesWritten(t), named); diff != "" {
		t.Errorf("roles (-knative +docs/security.md):\n%s", diff)
	}
}
