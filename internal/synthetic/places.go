package synthetic

import (
	"context"

	"github.com/sibyl-dp/sibyl/internal/synth/copula"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A record of a model is a combination of categories, some of which are intervals of numbers. Numbers of several
// columns depend on each other within intervals, too. To preserve this dependence, each record has a place in each of
// its intervals: the records of an interval divide its distribution into ranges of equal probability, in the order of
// their places. A row that is sampled from a record has a number in the record's range. All records of an interval
// together have the distribution of the interval, so places change no answer about a single column.

// places assigns to each record of a model, in each interval, a place in the order of the records of this interval.
// The places make numbers within intervals depend on those of other columns.
type places struct {
	densities [][]*table.Density // by column of the flat schema and interval
	ranks     [][]int32          // by column and record, the place among the records of the same interval; nil for a column without places
	records   [][]float64        // by column and category, the number of records
}

// places returns the places of the records in their intervals. It returns nil if the numbers of a row are independent
// of each other within intervals: in models of earlier formats, and in models with fewer than two ordered columns. It
// assigns no places in columns that a rule with at_most lists. The parameter densities has the model's densities.
// places returns the context's error if the context ends.
func (m *Model) places(ctx context.Context, threads int, densities [][]*table.Density) (*places, error) {
	if m.Independent {
		return nil, nil
	}
	flat, codes := m.Layout.Flat, m.codes()
	p := &places{densities: make([][]*table.Density, len(codes)), ranks: make([][]int32, len(codes)), records: make([][]float64, len(codes))}
	var columns []copula.Column
	var of []int
	placed := false
	for j := range flat.Attributes {
		a := &flat.Attributes[j]
		if n := a.InOrder(); n >= 2 {
			columns, of = append(columns, copula.Column{Codes: codes[j], Size: a.Len(), Ordered: n}), append(of, j)
		}
		if _, ranges, _ := a.Written(); ranges != nil && !inAtMost(flat, a.Name) {
			placed = true
			p.records[j] = make([]float64, a.Len())
			for _, v := range codes[j] {
				p.records[j][v]++
			}
			for c, r := range ranges {
				d := densities[j][c]
				if d == nil {
					d = table.NewDensity(r[0], []int64{r[1]}, []float64{1})
				}
				p.densities[j] = append(p.densities[j], d)
			}
		}
	}
	if !placed || len(columns) < 2 {
		return nil, nil
	}
	ranks, err := copula.Ranks(ctx, max(1, threads), columns)
	if err != nil {
		return nil, err
	}
	for k, j := range of {
		if p.densities[j] != nil {
			p.ranks[j] = ranks[k]
		}
	}
	return p, nil
}

// quantiles returns the range of quantiles from which the number of record i in column j is sampled. The record's
// interval has the code v. If the record has no place in it, the range is [0, 1].
func (p *places) quantiles(i, j int, v uint16) [2]float64 {
	if p == nil || p.ranks[j] == nil || int(v) >= len(p.densities[j]) {
		return [2]float64{0, 1}
	}
	n := p.records[j][v]
	rank := float64(p.ranks[j][i])
	return [2]float64{rank / n, (rank + 1) / n}
}

// inside returns the probabilities of two events for a random number in an interval of column j: that it satisfies
// the question's restriction with the index k, and lies before the beginning, or before the end, of the range of
// quantiles of record i. So their difference is the probability that the number satisfies the restriction and lies in
// this range. The code of the interval is v.
func (p *places) inside(q *Question, k, i int, v uint16) [2]float64 {
	j := q.columns[k]
	own := p.quantiles(i, j, v)
	d, part, share := p.densities[j][v], q.restrictions[k].Within[v], q.shares[k][v]
	return [2]float64{d.Before(own[0], part, share), d.Before(own[1], part, share)}
}
