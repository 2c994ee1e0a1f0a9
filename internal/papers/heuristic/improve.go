package heuristic

import (
	"context"
	"slices"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
)

// improve improves the scorecard in s by local search. A move replaces the points of one attribute by one of the
// alternatives that steps returns. improve makes moves that reduce the cost until no move does.
func (l logistic) improve(ctx context.Context, p class.Problem[[]uint16], s *oracle.Solution[scorecard.Card]) error {
	attributes := l.class.Attributes()
	for better := true; better; {
		better = false
		for j, a := range attributes {
			if err := ctx.Err(); err != nil {
				return err
			}
			for _, v := range steps(a, s.Hypothesis.Points[j]) {
				h := scorecard.Card{Points: slices.Clone(s.Hypothesis.Points)}
				h.Points[j] = v
				if !l.class.Contains(h) {
					continue
				}
				if cost := class.Cost(l.class, p, h); cost < s.Cost {
					*s = oracle.Solution[scorecard.Card]{Hypothesis: h, Cost: cost}
					better = true
				}
			}
		}
	}
	return nil
}

// steps returns the vectors by which one move of the local search can replace v, the points of attribute a:
//
//   - the zero vector
//   - if a has a list of vectors, the previous and the next vector in the list
//   - otherwise, the vectors that differ from v by 1 in one category
func steps(a scorecard.Attribute, v []int) [][]int {
	out := [][]int{make([]int, len(v))}
	if list := a.List(); list != nil {
		at, _ := slices.BinarySearchFunc(list, v, slices.Compare)
		return append(out, list[max(at-1, 0)], list[min(at+1, len(list)-1)])
	}
	for c := range v {
		for _, by := range []int{-1, 1} {
			w := slices.Clone(v)
			w[c] += by
			out = append(out, w)
		}
	}
	return out
}
