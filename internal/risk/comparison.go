package risk

import (
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/simplex"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Comparison is what follows from counts of more than two outcomes, as an Assessment
// does from counts of two. But for Outside, all of it speaks of rows inside the schema's
// domain. Numbers of rows are those of the rows, whatever shares are said of.
type Comparison struct {
	Of          Target    `json:"of"`
	Kind        Kind      `json:"kind"` // of the grades
	Inside      Count     `json:"inside"`
	Outside     Count     `json:"outside"`
	Errors      Count     `json:"errors"`
	Matrix      [][]Count `json:"matrix"` // of rows with an outcome, by what is predicted
	Accuracy    Share     `json:"accuracy"`
	Sensitivity []Share   `json:"sensitivity"` // of the rows with an outcome, those for which it is predicted
	Precision   []Share   `json:"precision"`   // of the rows for which an outcome is predicted, those that have it

	// Risks are those of leaves, in order; nil where grades are predictions.
	Risks []OutcomeRisks `json:"risks,omitempty"`

	counts *Counts
}

// OutcomeRisks are the shares of all outcomes among the rows of a grade. Their values are
// not negative and sum to 1, and are nil where no rows were counted.
type OutcomeRisks struct {
	Grade int      `json:"grade"` // its value
	Rows  *big.Int `json:"rows"`  // counted, cut to what is possible
	Risks []Share  `json:"risks"` // of each outcome
}

// Compare returns what follows from the counts for the target. All intervals hold at once
// with Confidence (docs/explanation/proofs/risk.md, section 3).
func (c *Counts) Compare(of Target) *Comparison {
	k, g := c.Scale.Outcomes, len(c.Scale.Grades)
	n := comparisonBounds(c.Scale.Kind, g, k)
	l := comparisonStrayer(n, c.Epsilon, c.Relation)
	l.sampling = of == Population
	m := c.matrix()
	right, wrong := cells{}, cells{}
	exactly, wrongly := new(big.Int), new(big.Int)
	for o, row := range m {
		for p, in := range row {
			if o == p {
				right = right.plus(c.cells(in))
				exactly.Add(exactly, in.sum)
			} else {
				wrong = wrong.plus(c.cells(in))
				wrongly.Add(wrongly, in.sum)
			}
		}
	}
	l.among(c.Relation, c.Rows, right.plus(wrong).plus(cells{c.float(c.Outside), 1}))
	widths := map[int]*big.Int{}
	around := func(v *big.Int, cells int) Count {
		if widths[cells] == nil {
			widths[cells] = comparisonWidth(cells, n, c.Epsilon, c.Relation)
		}
		return c.around(v, widths[cells])
	}
	out := &Comparison{
		Of: of, Kind: c.Scale.Kind, Outside: around(c.Outside, 1), Errors: around(wrongly, wrong.n),
		Accuracy: l.share(right, wrong), counts: c,
	}
	if c.Rows != nil {
		out.Inside = (Count{c.Rows, c.Rows, c.Rows}).minus(out.Outside)
	} else {
		out.Inside = around(exactly, right.n).plus(out.Errors)
	}
	for o, row := range m {
		counts := make([]Count, k)
		hit, missed, alarms := c.cells(row[o]), cells{}, cells{}
		for p, in := range row {
			counts[p] = around(in.sum, in.n)
			if p != o {
				missed, alarms = missed.plus(c.cells(in)), alarms.plus(c.cells(m[p][o]))
			}
		}
		out.Matrix = append(out.Matrix, counts)
		sensitivity := l.share(hit, missed)
		if hit.n == 0 || missed.n == 0 {
			sensitivity = certainOf(missed.n == 0, hit.plus(missed))
		}
		out.Sensitivity = append(out.Sensitivity, sensitivity)
		out.Precision = append(out.Precision, l.share(hit, alarms))
	}
	if c.Scale.Kind == Leaf {
		for i := range c.Scale.Grades {
			out.Risks = append(out.Risks, c.risks(i, l))
		}
	}
	return out
}

// At returns the risks of the grade that holds the value.
func (c *Comparison) At(value int) []Share { return c.Risks[c.counts.Scale.Place(value)].Risks }

// Exact tells that the counts are, so that for the rows there are no intervals.
func (c *Comparison) Exact() bool { return !c.counts.Released() }

// Counted names what was counted: rows, or persons.
func (c *Comparison) Counted() string { return c.counts.Counted() }

// units are a sum of cells, in units, and how many cells it is of.
type units struct {
	sum *big.Int
	n   int
}

func (c *Counts) cells(u units) cells { return cells{c.float(u.sum), u.n} }

// matrix returns the rows with each outcome, by what is predicted.
func (c *Counts) matrix() [][]units {
	m := make([][]units, c.Scale.Outcomes)
	for o, of := range c.Cells {
		m[o] = make([]units, c.Scale.Outcomes)
		for p := range m[o] {
			m[o][p].sum = new(big.Int)
		}
		for i, grade := range c.Scale.Grades {
			in := &m[o][grade.Predicted]
			in.sum.Add(in.sum, of[i])
			in.n++
		}
	}
	return m
}

// risks returns those of a grade.
func (c *Counts) risks(grade int, l strayer) OutcomeRisks {
	rows, k := new(big.Int), c.Scale.Outcomes
	counted := make([]float64, k)
	for o, of := range c.Cells {
		rows.Add(rows, of[grade])
		counted[o] = c.float(of[grade])
	}
	all := c.float(rows)
	r := OutcomeRisks{Grade: c.Scale.Grades[grade].Least, Rows: c.counted(rows)}
	next := simplex.Project(counted, all)
	for o, n := range counted {
		s := l.share(cells{n, 1}, cells{all - n, k - 1})
		if s.Value = nil; all > 0 {
			v := min(next[o]/all, 1)
			s = Share{&v, min(s.Least, v), max(s.Most, v)}
		}
		r.Risks = append(r.Risks, s)
	}
	return r
}

// comparisonBounds is how many ends of intervals share what a comparison of so many grades
// and outcomes may miss: for a share T either way and the number of rows, for a count
// either way. Shares are the accuracy, two of each outcome, and those of all outcomes at
// each leaf; counts are the matrix, the rows outside, the errors, and what is right.
func comparisonBounds(k Kind, grades, outcomes int) int {
	shares := 1 + 2*outcomes
	if k == Leaf {
		shares += grades * outcomes
	}
	return 3*shares + 2*(outcomes*outcomes+3)
}

// comparisonStrayer bounds how far sums of cells stray for the rows, where so many ends
// share what may be missed.
func comparisonStrayer(bounds int, epsilon privacy.Decimal, r privacy.Relation) strayer {
	return strayer{scale: noiseScale(epsilon, r), units: float64(learn.Units(r)), log: math.Log(float64(bounds)) - math.Log(1-Confidence)}
}

// mostSummed is the greatest number of cells whose sum's own law is evaluated.
const mostSummed = 64

// comparisonWidth returns how far the sum of so many cells may be off, in units, where so
// many ends share what may be missed.
func comparisonWidth(cells, bounds int, epsilon privacy.Decimal, r privacy.Relation) *big.Int {
	if r == 0 || cells == 0 {
		return new(big.Int)
	}
	if cells > mostSummed {
		l := comparisonStrayer(bounds, epsilon, r)
		w := l.width(cells) * l.units
		whole, _ := big.NewFloat(math.Ceil(w * (1 + rounding))).Int(nil)
		return whole
	}
	h, err := learn.NewHistogram(cells, epsilon, r)
	if err != nil {
		panic(err) // the histogram was released, or is about to be
	}
	return h.HalfWidth(cells, big.NewRat(1, 10*int64(bounds)))
}
