package synth

import (
	"math"

	"github.com/sibyl-dp/sibyl/internal/synth/cells"
	"github.com/sibyl-dp/sibyl/internal/synth/loglinear"
)

// The functions of this file estimate the work and the error of a release. They use public parameters
// only, before any data is read.

// Work holds estimates of the time and memory of a release of synthetic data. The numbers of operations are upper
// bounds.
type Work struct {
	Counts    int64 // noisy counts to sample, about 0.4 µs each
	Additions int64 // additions of rows to counts before the first fit, about 3 ns each
	Bytes     int64 // approximate memory if all rows are distinct, without that of the files that are written

	// Seconds estimates the running time of counting and fitting on one thread, if all pairs of
	// columns are dependent. The time is shorter if noise hides the dependence of some pairs.
	Seconds float64
}

const (
	startSeconds    = .7 // time of a release with few rows
	additionSeconds = 3e-9
	stepSeconds     = 1e-9
	placeSeconds    = 7e-7 // time of the place of a record in an ordered column (package copula)
	startBytes      = 55_000_000
	placeBytes      = 10 // memory of the place of a record in an ordered column
)

// Work returns estimates of the time and memory of a release for a table with the given number of rows. If
// neighbouring tables differ in a person, rows is the number of persons, each of whom is assumed to have the maximum
// number of rows.
func (p *Plan) Work(rows int64) Work {
	columns := int64(len(p.Domain.Columns))
	rows *= int64(max(1, p.Relation.Persons()))
	w := Work{Additions: rows * (columns + int64(len(p.Pairs)))}
	for _, c := range p.Domain.Columns {
		w.Counts += 2 * int64(c.Size) // columns may be measured twice
	}
	for _, bins := range p.Domain.Bins {
		w.Counts += int64(len(bins))
	}
	if p.Contrasts {
		w.Counts++
	}
	for i := range p.Pairs {
		w.Counts += p.pairCells(i)
	}
	w.Counts += int64(p.Rounds) << mostTerms
	// While a table is read, its builder holds a key and a count for each record, and the table
	// holds the codes.
	w.Bytes = rows*(4*columns+120) + 8*w.Counts
	places := int64(0)
	for _, c := range p.Domain.Columns {
		if c.Ordered {
			places += int64(p.Domain.Records(rows))
		}
	}
	steps, bytes := p.fitting(float64(rows))
	bytes += placeBytes * float64(places)
	w.Seconds = startSeconds + additionSeconds*float64(w.Additions) + stepSeconds*steps + placeSeconds*float64(places)
	// As much memory again may wait for garbage collection.
	w.Bytes += startBytes + int64(2*bytes)
	return w
}

// fitting returns upper bounds on the number of steps and on the memory, in bytes, of everything that is computed
// from released values: the fits, and the searches for candidate conjunctions. The parameter rows is the number of
// rows.
func (p *Plan) fitting(rows float64) (steps, bytes float64) {
	variance := p.ColumnDeviation() * p.ColumnDeviation()
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

// Deviation returns the standard deviation, in rows, of the noise of a contrast of the given pair divided by the
// number of cells. This is an upper bound, because the pair may be measured with fewer cells.
func (p *Plan) Deviation(pair int) float64 {
	a, b := p.Domain.Columns[p.Pairs[pair][0]].Size, p.Domain.Columns[p.Pairs[pair][1]].Size
	moves, _ := contrastMoved(p.Relation, a, b).Float64()
	sigma2, _ := p.Pair[pair].Sigma2.Float64()
	return math.Sqrt(sigma2*moves) / (float64(a) * float64(b))
}

// PairError estimates the error of the synthetic rows in pairs of columns: the mean over all pairs of the L1 error Σ
// |p − q|. This sum is over all combinations of two values, where p is the combination's fraction of the table's
// rows, and q is its fraction of the synthetic rows.
//
// The estimate is not a bound. For pairs with few cells, it follows from the noise. For pairs with many cells, it
// follows from measurements on public tables (docs/explanation/proofs/synth.md, section 7).
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

// pairCells returns the maximum number of cells (groups of combinations of values) into which a measurement of the
// given pair of columns divides the rows.
func (p *Plan) pairCells(pair int) int64 {
	a, b := p.Pairs[pair][0], p.Pairs[pair][1]
	return min(int64(p.Domain.Columns[a].Size)*int64(p.Domain.Columns[b].Size), cells.MostCells)
}
