package zero

import (
	"slices"
	"time"
)

// stage is a part of the way from a change to the patch, with what it took each
// time.
type stage struct {
	name string
	took durations
}

type stages []stage

// add notes one run by the moments between which the stages are.
func (s *stages) add(names []string, moments ...time.Time) {
	for i, name := range names {
		at := slices.IndexFunc(*s, func(one stage) bool { return one.name == name })
		if at < 0 {
			*s = append(*s, stage{name: name})
			at = len(*s) - 1
		}
		(*s)[at].took = append((*s)[at].took, moments[i+1].Sub(moments[i]))
	}
}

func (s stages) rows() [][]string {
	var rows [][]string
	for _, one := range s {
		rows = append(rows, append([]string{one.name}, one.took.cells()...))
	}
	return rows
}
