package cluster

import "testing"

func TestTheBoundIsTheNewestVersionSeenOrTheCallersIfThatIsNewer(t *testing.T) {
	for _, tc := range []struct {
		name    string
		seen    []string
		callers string
		want    string
	}{
		{"nothing seen, nothing given", nil, "", ""},
		{"only given", nil, "7", "7"},
		{"only seen", []string{"9", "10", "8"}, "", "10"},
		{"the given is newer", []string{"9"}, "10", "10"},
		{"the given is older", []string{"10"}, "9", "10"},
		{"the given cannot be read", []string{"10"}, "x", "10"},
		{"nothing is left of an empty one", []string{"10", ""}, "", "10"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var n newest
			for _, version := range tc.seen {
				n.saw(version)
			}
			if got := n.bound(tc.callers); got != tc.want {
				t.Errorf("bound(%q) = %q, want %q", tc.callers, got, tc.want)
			}
		})
	}
}

func TestACallersVersionIsNotKept(t *testing.T) {
	var n newest
	n.saw("1")
	n.bound("999999")
	if got := n.bound(""); got != "1" {
		t.Errorf("bound = %q, want 1", got)
	}
}
