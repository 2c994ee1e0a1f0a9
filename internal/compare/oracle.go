package compare

import (
	"context"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/search"
)

// worstOf finds the hypothesis of a class on which the two tables differ most: the absolute sum of the weights (see
// Pair.weigh) of the records for which the hypothesis predicts 1 is greatest. It returns the hypothesis and this sum.
// It searches twice, once for each sign of the sum. The class must have no penalties. worstOf returns an error if the
// search tables of the class would be too large, or if the context ends.
func worstOf[H any](ctx context.Context, p *Pair, over func(sizes []int) (class.Class[[]uint16, H], error)) (worst H, difference int64, err error) {
	c, err := over(p.sizes)
	if err != nil {
		return worst, 0, err
	}
	difference = -1
	for _, sign := range []int64{1, -1} {
		var problem class.Problem[[]uint16]
		for i := range p.Len() {
			if w := p.weigh(i); w != 0 {
				problem.Points = append(problem.Points, class.Point[[]uint16]{X: p.record(i), Cost: [2]int64{0, -sign * w}})
			}
		}
		tree, err := c.Tree(problem)
		if err != nil {
			return worst, 0, err
		}
		s, err := search.Minimize(ctx, tree, search.Options{})
		if err != nil {
			return worst, 0, err
		}
		if -s.Cost > difference {
			worst, difference = s.Hypothesis, -s.Cost
		}
	}
	return worst, difference, nil
}

// record returns the codes of the record with index i, by column.
func (p *Pair) record(i int) []uint16 {
	record := make([]uint16, len(p.columns))
	for j := range record {
		record[j] = p.codes[j][i]
	}
	return record
}
