package table

import "context"

// Weights assigns a weight to each record, as a function of its outcome and its total of points: a record with
// outcome y has the weight Of[y].At(total), where the total is defined by the Card. The sum over all records of
// the absolute weight times the number of units (see Counts) must fit into int64.
type Weights struct {
	Card
	Of []Steps
}

// Weighted implements Counts: it returns, for each category of each given attribute, the sum over its records of
// the weight times the number of units (see Counts). The only possible error is that of the context.
func (t *Table) Weighted(ctx context.Context, attributes []int, w Weights) ([][]int64, error) {
	return weighted(ctx, t.visit, attributes, w)
}

// weighted computes, for each category of the given attributes, the sum over its records of the weight times the
// number of units (see Counts), by a pass over all records.
func weighted(ctx context.Context, visit pass, attributes []int, w Weights) ([][]int64, error) {
	sums := newWeigher(attributes, w)
	all, err := gather(ctx, visit, func() *weigher { return newWeigher(attributes, w) })
	for _, own := range all {
		for i, sum := range own.sums {
			addTo(sums.sums[i], sum)
		}
	}
	return sums.sums, err
}

// A weigher computes, for each category of some attributes, the sum over its records of the weight times the
// number of units (see Counts).
type weigher struct {
	card       Card
	of         []values // by outcome, the weights by total
	attributes []int
	sums       [][]int64

	codes                  []uint16
	weights, units, totals []int64
}

func newWeigher(attributes []int, w Weights) *weigher {
	block := func() []int64 { return make([]int64, blockRecords) }
	g := &weigher{card: w.Card, attributes: attributes, codes: make([]uint16, blockRecords), weights: block(), units: block(), totals: block()}
	least, most := w.span()
	for _, s := range w.Of {
		g.of = append(g.of, s.within(least, most))
	}
	for _, j := range attributes {
		g.sums = append(g.sums, make([]int64, len(w.Points[j])))
	}
	return g
}

func (g *weigher) add(r records, from, to int) {
	for ; from < to; from += blockRecords {
		n := min(blockRecords, to-from)
		codes, weights, units, totals := g.codes[:n], g.weights[:n], g.units[:n], g.totals[:n]
		score(r, g.card, from, codes, totals)
		r.units(from, units)
		r.Codes(len(g.card.Points), from, codes)
		for i, code := range codes {
			weights[i] = units[i] * g.of[code].at(totals[i])
		}
		for i, j := range g.attributes {
			r.Codes(j, from, codes)
			for k, code := range codes {
				g.sums[i][code] += weights[k]
			}
		}
	}
}
