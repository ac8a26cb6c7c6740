package parts

import (
	"regexp"
	"slices"
	"testing"
)

func TestProgramsOfTheSameNameHaveTheirOwnPlaceInTheCache(t *testing.T) {
	seen := map[string]string{}
	for _, f := range families {
		for _, pkg := range f.packages {
			if other := seen[name(pkg)]; other != "" {
				t.Errorf("%s and %s are both %s", pkg, other, name(pkg))
			}
			seen[name(pkg)] = pkg
		}
	}
}

func TestEachDebianPackageHasItsVersion(t *testing.T) {
	packages := debianPackages(debianList)
	for _, p := range packages {
		if !regexp.MustCompile(`^[a-z0-9-]+=\d`).MatchString(p) {
			t.Errorf("%q is no name and version", p)
		}
	}
	for _, want := range []string{"containerd", "containernetworking-plugins", "nftables", "runc"} {
		if !slices.ContainsFunc(packages, func(p string) bool { return regexp.MustCompile("^" + want + "=").MatchString(p) }) {
			t.Errorf("there is no %s in %q", want, packages)
		}
	}
}

func TestCommentsAreNoPackages(t *testing.T) {
	if got := debianPackages("# two words\n# one\n\na 1\n"); !slices.Equal(got, []string{"a=1"}) {
		t.Errorf("packages are %q", got)
	}
}
