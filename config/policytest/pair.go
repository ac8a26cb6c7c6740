package policytest

// unpaired pairs what is wanted with what there is, each with at most one other,
// and returns what is left on both sides. As many as can be are paired: a want that
// says little must not take the only one that another fits. It finds augmenting
// paths (Kuhn's algorithm). Many that are alike are no more work than others: what is
// free is taken before others are moved, and from where a search has led nowhere no
// later one leads anywhere.
func unpaired[W, G any](wants []W, gots []G, fit func(W, G) bool) (missing []W, unexpected []G) {
	wantOf := make([]int, len(gots)) // of each got; -1 if it has none
	for g := range wantOf {
		wantOf[g] = -1
	}
	take := func(w int) bool {
		for g := range gots {
			if wantOf[g] < 0 && fit(wants[w], gots[g]) {
				wantOf[g] = w
				return true
			}
		}
		return false
	}
	seen, nowhere := make([]bool, len(gots)), make([]bool, len(gots))
	var pair func(w int) bool
	pair = func(w int) bool {
		if take(w) {
			return true
		}
		for g := range gots {
			if seen[g] || !fit(wants[w], gots[g]) {
				continue
			}
			seen[g] = true
			if pair(wantOf[g]) {
				wantOf[g] = w
				return true
			}
		}
		return false
	}
	for w := range wants {
		copy(seen, nowhere)
		if !pair(w) {
			missing = append(missing, wants[w])
			copy(nowhere, seen)
		}
	}
	for g, w := range wantOf {
		if w < 0 {
			unexpected = append(unexpected, gots[g])
		}
	}
	return missing, unexpected
}
