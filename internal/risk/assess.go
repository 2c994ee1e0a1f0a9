package risk

import (
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/simplex"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Target is the group of rows that the shares of an Assessment describe.
type Target string

const (
	// Rows are the counted rows, or persons: intervals cover the noise only.
	Rows Target = "rows"
	// Population is the distribution that the counted rows were sampled from independently:
	// intervals cover noise and sampling. They hold if the model was fixed before the rows were
	// sampled, or for all models that it was chosen from if Assess was given their number.
	Population Target = "population"
)

// Confidence is the probability with which all intervals of an Assessment hold simultaneously.
const Confidence = learn.Confidence

// An Assessment is the evaluation of a model that follows from counts of grades and outcomes. All
// fields but Outside describe rows inside the schema's domain. The counts describe the counted
// rows for either Target.
type Assessment struct {
	Of      Target
	Kind    Kind // of the grades
	Inside  Count
	Outside Count
	Errors  Count // misclassified rows

	// Confusion is the confusion matrix: Confusion[o][p] counts the rows with outcome o for which
	// the model predicts p.
	Confusion [][]Count
	Accuracy  Share
	// Sensitivity has for each outcome the share of its rows that are predicted correctly. For two
	// outcomes Sensitivity[1] is the sensitivity and Sensitivity[0] the specificity.
	Sensitivity []Share
	// Precision has for each predicted outcome the share of correct predictions. It is nil for two
	// outcomes.
	Precision []Share

	// Risks has for each grade, in ascending order, the shares of the outcomes among its rows. For
	// two outcomes, neighbouring grades may be pooled. For more than two outcomes it is nil unless
	// the grades are leaves.
	Risks []Risk

	// The remaining fields are for two outcomes.

	Prevalence Share // of the positive outcome

	// Order lists the leaves in ascending order of their risks. It is nil for other grades.
	Order []int

	// Thresholds and AUC are set if the scale is ordered or consists of leaves, which are then taken
	// in their Order. AUC is the probability that a random positive row has a greater grade than a
	// random negative one, where equal grades count one half.
	Thresholds []Threshold
	AUC        *Share

	counts *Counts
}

// A Risk has the shares of the outcomes among the rows of one grade or of several neighbouring
// ones.
type Risk struct {
	Least, Most int      // the range of values of the grades
	Rows        *big.Int // the estimated number of rows, clipped to the possible range
	Pooled      Pooling  // the reason if several grades are pooled

	// Shares holds the share of the positive outcome if there are two outcomes. Otherwise it holds
	// the share of each outcome: the values are non-negative and sum to 1, and are nil if no rows
	// were counted.
	Shares []Share

	from, to int // the indices of the grades, to excluded
}

// Assess computes the evaluation that follows from the counts for the target. The parameter models
// is the number of models from which one was chosen by means of the counted rows, or nil if the
// model was fixed before. It widens intervals for the population, and has no effect on those for
// the rows. All intervals hold simultaneously with Confidence (docs/explanation/proofs/risk.md,
// section 3).
func (c *Counts) Assess(of Target, models *big.Int) *Assessment {
	k, g := c.Scale.Outcomes, len(c.Scale.Grades)
	b := newBudget(of, c.Scale.Kind, g, k)
	l := strayer{scale: c.noiseScale(), units: float64(c.units()), sampling: of == Population, log: b.share}
	chosen := 0.
	if models != nil && of == Population {
		chosen = logOf(models)
		l.log += chosen
	}
	a := &Assessment{Of: of, Kind: c.Scale.Kind, counts: c}
	m := c.matrix()
	right := a.tally(m, b)
	if k == 2 {
		a.pool()
		if boxed(of, c.Scale.Kind) {
			a.addBoxed(right)
			return a
		}
		l.among(c.Relation, c.Rows, c.run(c.positive(), 0, g).plus(c.run(c.negative(), 0, g)).plus(cells{c.float(c.Outside), 1}))
	} else {
		hit, missed := diagonal(m)
		l.among(c.Relation, c.Rows, hit.plus(missed).plus(cells{c.float(c.Outside), 1}))
	}
	a.addShares(m, l)
	if k == 2 {
		a.addBinary(l, chosen)
		return a
	}
	for o := range m {
		hit, alarms := m[o][o].cells, cells{}
		for p := range m {
			if p != o {
				alarms = alarms.plus(m[p][o].cells)
			}
		}
		a.Precision = append(a.Precision, l.share(hit, alarms))
	}
	if c.Scale.Kind == Leaf {
		for i := range c.Scale.Grades {
			a.Risks = append(a.Risks, c.risks(i, l))
		}
	}
	return a
}

// addShares adds the accuracy and the sensitivity of each outcome. The sensitivity of an outcome
// that all grades predict, or none, is certain.
func (a *Assessment) addShares(m [][]entry, l strayer) {
	a.Accuracy = l.share(diagonal(m))
	for o, row := range m {
		hit, missed := row[o].cells, cells{}
		for p, in := range row {
			if p != o {
				missed = missed.plus(in.cells)
			}
		}
		s := l.share(hit, missed)
		if hit.n == 0 || missed.n == 0 {
			s = certainOf(missed.n == 0, hit.plus(missed))
		}
		a.Sensitivity = append(a.Sensitivity, s)
	}
}

// An entry of the confusion matrix is a sum of cells, exact and in floating point.
type entry struct {
	units *big.Int // in units
	cells cells    // in rows or persons
}

// matrix returns the confusion matrix: the sums of the cells of each outcome, by the predicted
// outcome.
func (c *Counts) matrix() [][]entry {
	m := make([][]entry, c.Scale.Outcomes)
	for o, of := range c.Cells {
		m[o] = make([]entry, c.Scale.Outcomes)
		for p := range m[o] {
			m[o][p].units = new(big.Int)
		}
		for i, grade := range c.Scale.Grades {
			in := &m[o][grade.Predicted]
			in.units.Add(in.units, of[i])
			in.cells = in.cells.plus(cells{c.float(of[i]), 1})
		}
		if c.Scale.Outcomes > 2 { // rounded once; sums of two outcomes are rounded at each grade
			for p := range m[o] {
				m[o][p].cells.sum = c.float(m[o][p].units)
			}
		}
	}
	return m
}

// diagonal returns the sums of the cells on the diagonal of the matrix and of the others: the
// correct and the wrong predictions.
func diagonal(m [][]entry) (right, wrong cells) {
	for o, row := range m {
		for p, in := range row {
			if o == p {
				right = right.plus(in.cells)
			} else {
				wrong = wrong.plus(in.cells)
			}
		}
	}
	return right, wrong
}

// risks returns the shares of all outcomes at a grade, for more than two outcomes.
func (c *Counts) risks(grade int, l strayer) Risk {
	rows, k := new(big.Int), c.Scale.Outcomes
	counted := make([]float64, k)
	for o, of := range c.Cells {
		rows.Add(rows, of[grade])
		counted[o] = c.float(of[grade])
	}
	all := c.float(rows)
	g := c.Scale.Grades[grade]
	r := Risk{Least: g.Least, Most: g.Most, Rows: c.counted(rows), from: grade, to: grade + 1}
	next := simplex.Project(counted, all)
	for o, n := range counted {
		s := l.share(cells{n, 1}, cells{all - n, k - 1})
		if s.Value = nil; all > 0 {
			v := min(next[o]/all, 1)
			s = Share{&v, min(s.Least, v), max(s.Most, v)}
		}
		r.Shares = append(r.Shares, s)
	}
	return r
}

// At returns the risk of the grade that contains the value, or nil if it has none.
func (a *Assessment) At(value int) *Risk {
	at := a.counts.Scale.Place(value)
	for i := range a.Risks {
		if at < a.Risks[i].to {
			return &a.Risks[i]
		}
	}
	return nil
}

// Outcomes returns the number of outcomes.
func (a *Assessment) Outcomes() int { return a.counts.Scale.Outcomes }

// Counted returns the unit of the counts: "rows" or "persons".
func (a *Assessment) Counted() string { return a.counts.Counted() }

// Exact reports whether the counts are exact. Then shares of the rows have no intervals.
func (a *Assessment) Exact() bool { return !a.counts.Released() }

// logOf returns the natural logarithm of n, which is at least 1.
func logOf(n *big.Int) float64 {
	mantissa := new(big.Float)
	exponent := new(big.Float).SetInt(n).MantExp(mantissa)
	m, _ := mantissa.Float64()
	return math.Log(m) + float64(exponent)*math.Ln2
}

// noiseScale returns the scale b of the noise of a cell, 0 for exact counts.
func (c *Counts) noiseScale() float64 { return noiseScale(c.Epsilon, c.Relation) }

// noiseScale returns the scale b of the noise of a cell, 0 if there is no relation.
func noiseScale(epsilon privacy.Decimal, of privacy.Relation) float64 {
	if of == 0 {
		return 0
	}
	inverse, _ := inverse(epsilon, of).Float64()
	return 1 / inverse
}

// run returns the sum of the counts of one outcome over the grades from..to-1.
func (c *Counts) run(of []*big.Int, from, to int) cells {
	sum := new(big.Int)
	for _, n := range of[from:to] {
		sum.Add(sum, n)
	}
	return cells{c.float(sum), to - from}
}

// certainOf returns the sensitivity of an outcome that all grades predict, or none: 1 or 0, and no
// value if it has no rows.
func certainOf(all bool, rows cells) Share {
	if rows.sum <= 0 {
		return Share{nil, 0, 1}
	}
	return certain(all)
}

// certain returns the share 1 or 0, without an interval.
func certain(all bool) Share {
	v := 0.
	if all {
		v = 1
	}
	return Share{&v, v, v}
}
