package policytest

import "testing"

// Comparisons stand in for time, because they do not depend on the machine.
func TestManyThatAreAlikeArePairedWithoutMuchWork(t *testing.T) {
	for name, c := range map[string]struct{ wants, gots int }{
		"as many as there are": {500, 500},
		"more than there are":  {1000, 500},
		"fewer":                {500, 1000},
	} {
		t.Run(name, func(t *testing.T) {
			compared := 0
			missing, unexpected := unpaired(make([]int, c.wants), make([]int, c.gots), func(int, int) bool { compared++; return true })
			if len(missing) != max(0, c.wants-c.gots) || len(unexpected) != max(0, c.gots-c.wants) {
				t.Errorf("%d are missing, and %d unexpected", len(missing), len(unexpected))
			}
			if most := 4 * c.wants * c.gots; compared > most {
				t.Errorf("%d comparisons, want at most %d", compared, most)
			}
		})
	}
}

// TestAsManyAsCanBeArePaired tries all ways that three wants can fit three others.
func TestAsManyAsCanBeArePaired(t *testing.T) {
	three := []int{0, 1, 2}
	for graph := range 1 << 9 {
		fits := func(w, g int) bool { return graph>>(3*w+g)&1 == 1 }
		best := 0
		for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
			pairs := 0
			for w, g := range order {
				if fits(w, g) {
					pairs++
				}
			}
			best = max(best, pairs)
		}
		missing, unexpected := unpaired(three, three, fits)
		if len(missing) != 3-best || len(unexpected) != 3-best {
			t.Errorf("graph %09b: %v are missing and %v unexpected, but %d can be paired", graph, missing, unexpected, best)
		}
	}
}
