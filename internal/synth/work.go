package synth

import (
	"math"

	"github.com/sibyl-dp/sibyl/internal/synth/cells"
	"github.com/sibyl-dp/sibyl/internal/synth/loglinear"
)

// What a release takes and how far it may be off, told from public numbers before any data is
// read.

// Work is what a release takes at most, over a table of so many rows.
type Work struct {
	Counts    int64 // noisy counts that are drawn, each some 0.4 µs
	Additions int64 // of rows to counts before the first fit, each some 3 ns
	Bytes     int64 // of memory, about, if all rows are distinct

	// Seconds is about how long counting and fitting take on one thread, where every pair of
	// columns depends: less where noise hides it.
	Seconds float64
}

const (
	startSeconds    = .7 // of a release of few rows
	additionSeconds = 3e-9
	stepSeconds     = 1.6e-9
	startBytes      = 55_000_000
)

// Work returns the work over so many rows, or persons, each of whom may have the most rows.
func (p *Plan) Work(rows int64) Work {
	columns := int64(len(p.Domain.Columns))
	rows *= int64(max(1, p.Relation.Persons()))
	w := Work{Additions: rows * (columns + int64(len(p.Pairs)))}
	for _, c := range p.Domain.Columns {
		w.Counts += int64(c.Size)
	}
	for i := range p.Pairs {
		w.Counts += p.pairCells(i)
	}
	w.Counts += int64(p.Rounds) << mostTerms
	// A builder of a table keeps a key and a count of each record, and the table its codes.
	w.Bytes = rows*(4*columns+120) + 8*w.Counts
	steps, bytes := p.fitting(float64(rows))
	w.Seconds = startSeconds + additionSeconds*float64(w.Additions) + stepSeconds*steps
	// As much again is in use until it is collected.
	w.Bytes += startBytes + int64(2*bytes)
	return w
}

// fitting bounds the steps and bytes of fits, and of the choice of what rounds draw from.
func (p *Plan) fitting(rows float64) (steps, bytes float64) {
	variance, _ := p.Column.Sigma2.Float64()
	var sizes []int
	cellsOf, terms := 0.0, 0.0
	for _, c := range p.Domain.Columns {
		k := cells.MostPooled(c.Size, variance, max(1, rows))
		for _, other := range sizes {
			cellsOf += float64(min(k*other, cells.MostCells))
		}
		sizes = append(sizes, k)
		terms += min(float64(k), 1/leastShare)
	}
	steps, bytes = loglinear.Cost(sizes, cellsOf, rows, float64(p.Domain.Records(int64(rows))), p.Rounds)
	sets := min(float64(len(sizes)), terms/64) * loglinear.Particles(cellsOf, rows)
	return steps + float64(p.Rounds)*mostCandidates*sets, bytes
}

// Deviation is the standard deviation, at most, of the noise of each contrast of a pair, in rows.
func (p *Plan) Deviation(pair int) float64 {
	a, b := p.Domain.Columns[p.Pairs[pair][0]].Size, p.Domain.Columns[p.Pairs[pair][1]].Size
	moves, _ := contrastMoved(p.Relation, a, b).Float64()
	sigma2, _ := p.Pair[pair].Sigma2.Float64()
	return math.Sqrt(sigma2*moves) / (float64(a) * float64(b))
}

// PairError is about what pairs of columns of the synthetic rows differ from those of the
// table's rows, so many: the mean of Σ |p − q| over the cells of all values. It follows from
// the noise where cells are few, and from measurements where they are many
// (docs/explanation/proofs/synth.md, section 7); it is no bound.
func (p *Plan) PairError(rows int64) float64 {
	if rows < 1 || len(p.Pairs) == 0 {
		return 2
	}
	sum := 0.0
	for i := range p.Pairs {
		noise := p.Deviation(i) / float64(rows)
		sum += min(2*math.Sqrt(noise), math.Sqrt(2/math.Pi)*noise*float64(p.pairCells(i)), 2)
	}
	return sum / float64(len(p.Pairs))
}

// pairCells is the greatest number of cells of a pair of these columns.
func (p *Plan) pairCells(pair int) int64 {
	a, b := p.Pairs[pair][0], p.Pairs[pair][1]
	return min(int64(p.Domain.Columns[a].Size)*int64(p.Domain.Columns[b].Size), cells.MostCells)
}
