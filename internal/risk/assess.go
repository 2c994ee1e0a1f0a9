package risk

import (
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/simplex"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Target states what an Assessment estimates: shares of the counted rows, or of the population from which they were
// sampled.
type Target string

const (
	// Rows are the counted rows or persons themselves, so intervals cover only the noise.
	Rows Target = "rows"
	// Population is the distribution from which the counted rows were sampled independently. Intervals cover noise and
	// sampling. They hold in two cases: the model was fixed before the rows were sampled, or the number of models from
	// which it was selected was passed to Assess.
	Population Target = "population"
)

// Confidence is the probability with which all intervals of an Assessment hold simultaneously.
const Confidence = learn.Confidence

// An Assessment describes how well a model predicts, as computed from counts of rows by grade (see Grade) and outcome.
// All fields except Outside describe rows inside the schema's domain. The fields of type Count describe the counted
// rows, even if the Target is Population.
type Assessment struct {
	Of      Target
	Kind    Kind // the kind of the grades
	Inside  Count
	Outside Count
	Errors  Count // misclassified rows

	// Confusion is the confusion matrix: Confusion[o][p] counts the rows with outcome o for which
	// the model predicts p.
	Confusion [][]Count
	Accuracy  Share
	// Sensitivity has for each outcome the share of its rows that are predicted correctly. For two outcomes,
	// Sensitivity[1] is the sensitivity and Sensitivity[0] the specificity.
	Sensitivity []Share
	// Precision has for each outcome the share of correct predictions among its predictions. It is nil for two
	// outcomes.
	Precision []Share

	// Risks has, for each grade in increasing order, the shares of the outcomes among the rows with this grade. For
	// two outcomes, adjacent grades may be pooled. For more than two outcomes, Risks is nil unless the grades are
	// leaves.
	Risks []Risk

	// The remaining fields are for two outcomes.

	Prevalence Share // the share of rows with the positive outcome

	// Order lists the leaves in ascending order of their risks. It is nil for other grades.
	Order []int

	// Thresholds and AUC are set if the scale is ordered, or if the grades are leaves, which are then ordered by
	// Order. AUC is the probability that a random positive row has a greater grade than a random negative row, plus
	// one half of the probability that both have the same grade. For exact counts of Grading.Exact, totals are compared
	// instead of grades.
	Thresholds []Threshold
	AUC        *Share

	counts *Counts
}

// A Risk holds the shares of the outcomes among the rows of one grade (see Grade), or of several adjacent grades.
type Risk struct {
	Least, Most int      // the range of values of the grades
	Rows        *big.Int // the estimated number of rows, clipped to the range of possible values
	Pooled      Pooling  // why several grades are pooled; empty if they are not

	// If there are two outcomes, Shares has one element, the share of the positive outcome. Otherwise it has the
	// share of each outcome: the values are non-negative and sum to 1, or are nil if no rows were counted.
	Shares []Share

	from, to int // the indices of the grades: from is included, to excluded
}

// Assess evaluates the model on the counted rows, or on the population from which they were sampled, as the parameter
// of states. The evaluation is computed from the counts only. All its intervals hold simultaneously with probability
// Confidence (docs/explanation/proofs/risk.md, section 3).
//
// If the model was selected by means of the counted rows, models is the number of models from which it was selected,
// which makes the intervals for Population wider. If the model was fixed before the rows were sampled, models is nil.
func (c *Counts) Assess(of Target, models *big.Int) *Assessment {
	k, g := c.Scale.Outcomes, len(c.Scale.Grades)
	b := newBudget(of, c.Scale.Kind, g, k)
	l := strayer{scale: c.noiseScale(), units: float64(c.units()), sampling: of == Population, log: b.share}
	chosen := 0.
	if models != nil && of == Population {
		chosen = logOf(models)
		l.log += chosen
	}
	c = c.estimate()
	a := &Assessment{Of: of, Kind: c.Scale.Kind, counts: c}
	m := c.matrix()
	right := a.tally(m, b)
	hit, missed := diagonal(m)
	l.among(c.Relation, c.Rows, hit.plus(missed).plus(cells{sum: c.float(c.Outside), n: 1}))
	switch {
	case k > 2:
		a.addShares(m, l)
		a.addSeveral(m, l)
	case boxed(of, c.Scale.Kind):
		a.pool()
		a.addBoxed(right)
	default:
		a.pool()
		a.addShares(m, l)
		a.addBinary(l, chosen)
	}
	if c.Adjusted {
		a.settleRisks()
	}
	return a
}

// addSeveral adds the estimates that exist only for labels with more than two outcomes: the precision of each outcome,
// and the risks of leaves.
func (a *Assessment) addSeveral(m [][]entry, l strayer) {
	for o := range m {
		hit, alarms := m[o][o].cells, cells{}
		for p := range m {
			if p != o {
				alarms = alarms.plus(m[p][o].cells)
			}
		}
		a.Precision = append(a.Precision, l.share(hit, alarms))
	}
	if c := a.counts; c.Scale.Kind == Leaf {
		for i := range c.Scale.Grades {
			a.Risks = append(a.Risks, c.risks(i, l))
		}
	}
}

// addShares adds the accuracy, and the sensitivity of each outcome, to the assessment. It computes them from the
// confusion matrix m. If all grades or no grades predict an outcome, its sensitivity is certain.
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

// An entry is an entry of the confusion matrix: the sum of the noisy counts of some cells, and the sum of the cells'
// estimates. Both are stored as exact integers and in floating point.
type entry struct {
	units, values *big.Int // the sums, in fractions of a row or person (see learn.Units)
	cells         cells    // in rows or persons
}

// matrix returns the confusion matrix. The entry in row o and column p is the sum of the counts with the outcome o at
// grades that predict the outcome p.
func (c *Counts) matrix() [][]entry {
	m := make([][]entry, c.Scale.Outcomes)
	for o, of := range c.Cells {
		m[o] = make([]entry, c.Scale.Outcomes)
		for p := range m[o] {
			m[o][p].units, m[o][p].values = new(big.Int), new(big.Int)
		}
		for i, grade := range c.Scale.Grades {
			in := &m[o][grade.Predicted]
			in.units.Add(in.units, of[i])
			in.values.Add(in.values, c.values[o][i])
			in.cells = in.cells.plus(cells{c.float(of[i]), 1, c.float(c.values[o][i])})
		}
		if c.Scale.Outcomes > 2 { // rounded once; for two outcomes, each cell is rounded before the sum
			for p := range m[o] {
				m[o][p].cells.sum, m[o][p].cells.value = c.float(m[o][p].units), c.float(m[o][p].values)
			}
		}
	}
	return m
}

// diagonal returns two sums over the confusion matrix: that of the entries on the diagonal, which are the correct
// predictions, and that of all other entries.
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

// risks returns the shares of all outcomes among the rows of a grade (see Grade), for labels with more than two
// outcomes.
func (c *Counts) risks(grade int, l strayer) Risk {
	rows, estimated, k := new(big.Int), new(big.Int), c.Scale.Outcomes
	values := make([]float64, k)
	for o, of := range c.Cells {
		rows.Add(rows, of[grade])
		estimated.Add(estimated, c.values[o][grade])
		values[o] = c.float(c.values[o][grade])
	}
	noisy, all := c.float(rows), c.float(estimated)
	g := c.Scale.Grades[grade]
	r := Risk{Least: g.Least, Most: g.Most, Rows: c.counted(estimated), from: grade, to: grade + 1}
	next := simplex.Project(values, all)
	for o, of := range c.Cells {
		n := c.float(of[grade])
		s := l.share(cells{n, 1, values[o]}, cells{noisy - n, k - 1, all - values[o]})
		s.Value = nil
		if all > 0 {
			v := min(next[o]/all, 1)
			s = s.containing(&v)
		}
		r.Shares = append(r.Shares, s)
	}
	return r
}

// At returns the risk of the grade (a range of values) that contains the value, such as a total of points. It returns
// nil if the grade has no risk.
func (a *Assessment) At(value int) *Risk {
	at := a.counts.Scale.Place(value)
	for i := range a.Risks {
		if at < a.Risks[i].to {
			return &a.Risks[i]
		}
	}
	return nil
}

// Outcomes returns the number of outcomes of the label.
func (a *Assessment) Outcomes() int { return a.counts.Scale.Outcomes }

// Counted returns the noun for what is counted: "rows" or "persons".
func (a *Assessment) Counted() string { return a.counts.Counted() }

// Exact reports whether the counts are exact. If they are, shares for the target Rows have no intervals.
func (a *Assessment) Exact() bool { return !a.counts.Released() }

// logOf returns the natural logarithm of n, which must be at least 1.
func logOf(n *big.Int) float64 {
	mantissa := new(big.Float)
	exponent := new(big.Float).SetInt(n).MantExp(mantissa)
	m, _ := mantissa.Float64()
	return math.Log(m) + float64(exponent)*math.Ln2
}

// noiseScale returns the scale of the noise of each count, in rows or persons. It returns 0 for exact counts.
func (c *Counts) noiseScale() float64 { return noiseScale(c.Epsilon, c.Relation) }

// noiseScale returns the scale of the noise of each count, in rows or persons, for a given ε and neighbour relation.
// The relation 0 means exact counts, whose scale is 0.
func noiseScale(epsilon privacy.Decimal, of privacy.Relation) float64 {
	if of == 0 {
		return 0
	}
	inverse, _ := inverse(epsilon, of).Float64()
	return 1 / inverse
}

// run returns the sum of the counts of an outcome over the grades whose indices are at least from and less than to. The
// estimates must have been computed before, by estimate.
func (c *Counts) run(outcome, from, to int) cells {
	sum, value := new(big.Int), new(big.Int)
	for i := from; i < to; i++ {
		sum.Add(sum, c.Cells[outcome][i])
		value.Add(value, c.values[outcome][i])
	}
	return cells{c.float(sum), to - from, c.float(value)}
}

// certainOf returns the sensitivity of an outcome that all grades predict (1), or that no grade predicts (0). It has no
// value if there are no rows with this outcome.
func certainOf(all bool, rows cells) Share {
	if rows.value <= 0 {
		return Share{nil, 0, 1}
	}
	return certain(all)
}

// certain returns a share without uncertainty, whose interval has length 0: 1 if all is true, and 0 otherwise.
func certain(all bool) Share {
	v := 0.
	if all {
		v = 1
	}
	return Share{&v, v, v}
}
