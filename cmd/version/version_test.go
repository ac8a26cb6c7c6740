package version

import "testing"

func TestAReleaseHasItsVersion(t *testing.T) {
	released = "v1.2.3"
	t.Cleanup(func() { released = "" })
	if got := String(); got != "v1.2.3" {
		t.Errorf("the version is %q", got)
	}
}

func TestABuildThatIsNoReleaseHasAVersionToo(t *testing.T) {
	if String() == "" {
		t.Error("the version is empty")
	}
}
