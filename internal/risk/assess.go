package risk

import (
	"math"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A Target is what shares are said of.
type Target string

const (
	// Rows are the rows, or persons, that were counted: intervals are for the noise alone.
	Rows Target = "rows"
	// Population is what the rows are independent draws from: intervals are for noise
	// and sampling. They hold if the model was fixed before the rows were drawn, or for
	// whichever of so many models was chosen by them.
	Population Target = "population"
)

// Confidence is the probability with which all intervals of an Assessment hold at once.
const Confidence = learn.Confidence

// Of the twentieth that intervals may miss together, areaMiss is that of the area, or of
// all thresholds of leaves in an order that the counts tell, and shareMiss that of all
// others.
const (
	areaMiss  = 0.01
	shareMiss = 1 - Confidence - areaMiss
)

// An Assessment is what follows from counts. But for Outside, all of it speaks of rows
// inside the schema's domain. Numbers of rows are those of the rows, whatever shares are
// said of.
type Assessment struct {
	Of        Target    `json:"of"`
	Kind      Kind      `json:"kind"` // of the grades
	Inside    Count     `json:"inside"`
	Outside   Count     `json:"outside"`
	Errors    Count     `json:"errors"` // of the model's own predictions, as are the next four
	Confusion Confusion `json:"confusion"`

	Accuracy    Share  `json:"accuracy"`
	Sensitivity Share  `json:"sensitivity"` // of positive rows, those predicted 1
	Specificity Share  `json:"specificity"` // of negative rows, those predicted 0
	Prevalence  Share  `json:"prevalence"`
	Risks       []Risk `json:"risks"` // of all grades, ascending

	// Order is that of the leaves, from the least risk, of a scale of leaves.
	Order []int `json:"order,omitempty"`

	// Thresholds and AUC are there where the scale is ordered, or has leaves, which are
	// taken in their Order. A row of either label is drawn: AUC is the probability that
	// the positive one has the greater grade, equal grades counting one half.
	Thresholds []Threshold `json:"thresholds,omitempty"`
	AUC        *Share      `json:"auc,omitempty"`

	counts *Counts
}

// A Risk is the share of positive labels among rows of some neighbouring grades.
type Risk struct {
	Least  int      `json:"least"` // the values of the grades
	Most   int      `json:"most"`
	Rows   *big.Int `json:"rows"` // counted, cut to what is possible
	Risk   Share    `json:"risk"`
	Pooled Pooling  `json:"pooled,omitempty"`

	from, to int // the places of the grades, to excluded
}

// A Pooling says why grades share a risk.
type Pooling string

const (
	Few   Pooling = "few"   // alone, some had too few rows to tell their risk from noise
	Order Pooling = "order" // a greater grade seemed to have a smaller risk
)

// A Threshold is what predicting 1 from a grade on does.
type Threshold struct {
	At          int   `json:"at"`          // the least value that predicts 1, or the first leaf of the order; above all grades for none
	Sensitivity Share `json:"sensitivity"` // of positive rows, those predicted 1
	Specificity Share `json:"specificity"` // of negative rows, those predicted 0
	Errors      Share `json:"errors"`      // of all rows, those predicted wrongly
	Own         bool  `json:"own,omitempty"`

	falsePositive, falseNegative float64
}

// Assess returns what follows from counts of two outcomes for the target; Compare is for
// more. models is how many models
// the rows that were counted had to choose from, nil for one that was fixed before: it
// makes intervals for the population as much wider as that takes, and has no part in those
// for rows.
func (c *Counts) Assess(of Target, models *big.Int) *Assessment {
	g := len(c.Scale.Grades)
	l := strayer{scale: c.noiseScale(), units: float64(c.units()), sampling: of == Population}
	l.log = math.Log(float64(bounds(c.Scale.Kind, g))) - math.Log(shareMiss)
	chosen := 0.
	if models != nil && of == Population {
		chosen = logOf(models)
		l.log += chosen
	}
	l.among(c.Relation, c.Rows, c.run(c.positive(), 0, g).plus(c.run(c.negative(), 0, g)).plus(cells{c.float(c.Outside), 1}))
	a := &Assessment{Of: of, Kind: c.Scale.Kind, counts: c}
	right := a.tally()
	for _, b := range c.pool() {
		r := Risk{Least: c.Scale.Grades[b.from].Least, Most: c.Scale.Grades[b.to-1].Most, Pooled: b.why, from: b.from, to: b.to, Rows: new(big.Int)}
		for i := b.from; i < b.to; i++ {
			r.Rows.Add(r.Rows, c.positive()[i]).Add(r.Rows, c.negative()[i])
		}
		r.Rows = c.counted(r.Rows)
		a.Risks = append(a.Risks, r)
	}
	if boxed(of, c.Scale.Kind) {
		a.addBoxed(right)
		return a
	}
	a.addShares(l)
	switch {
	case c.Scale.Ordered():
		a.addThresholds(c, l)
		auc := c.area(l.sampling, chosen)
		a.AUC = &auc
	case c.Scale.Kind == Leaf:
		a.rank(l, chosen)
	}
	return a
}

// addShares adds what is said of the own predictions and of the risks.
func (a *Assessment) addShares(l strayer) {
	c := a.counts
	g := len(c.Scale.Grades)
	var hit, missed, alarm, spared cells
	for i, grade := range c.Scale.Grades {
		p, n := c.run(c.positive(), i, i+1), c.run(c.negative(), i, i+1)
		if grade.Predicted == 1 {
			hit, alarm = hit.plus(p), alarm.plus(n)
		} else {
			missed, spared = missed.plus(p), spared.plus(n)
		}
	}
	a.Accuracy = l.share(hit.plus(spared), missed.plus(alarm))
	a.Sensitivity, a.Specificity = l.share(hit, missed), l.share(spared, alarm)
	if hit.n == 0 || missed.n == 0 { // certain
		a.Sensitivity, a.Specificity = certainOf(missed.n == 0, hit.plus(missed)), certainOf(hit.n == 0, spared.plus(alarm))
	}
	a.Prevalence = l.share(c.run(c.positive(), 0, g), c.run(c.negative(), 0, g))
	for i := range a.Risks {
		r := &a.Risks[i]
		r.Risk = l.share(c.run(c.positive(), r.from, r.to), c.run(c.negative(), r.from, r.to))
	}
}

// addBoxed adds all shares of a prediction alone, which follow from the counts.
func (a *Assessment) addBoxed(right Count) {
	m := a.Confusion
	positive, negative := m.TruePositive.plus(m.FalseNegative), m.TrueNegative.plus(m.FalsePositive)
	a.Accuracy = right.of(a.Errors)
	a.Sensitivity, a.Specificity = m.TruePositive.of(m.FalseNegative), m.TrueNegative.of(m.FalsePositive)
	a.Prevalence = positive.of(negative)
	for i := range a.Risks {
		switch r := &a.Risks[i]; {
		case r.to-r.from == 2:
			r.Risk = a.Prevalence
		case r.from == 0:
			r.Risk = m.FalseNegative.of(m.TrueNegative)
		default:
			r.Risk = m.TruePositive.of(m.FalsePositive)
		}
	}
	c := a.counts
	p, n := c.float(c.positive()[0])+c.float(c.positive()[1]), c.float(c.negative()[0])+c.float(c.negative()[1])
	a.Thresholds = []Threshold{
		{At: 0, Sensitivity: certain(true), Specificity: certain(false), Errors: negative.of(positive), falsePositive: n},
		{At: 1, Sensitivity: a.Sensitivity, Specificity: a.Specificity, Errors: a.Errors.of(right), Own: true, falsePositive: c.float(c.negative()[1]), falseNegative: c.float(c.positive()[0])},
		{At: 2, Sensitivity: certain(false), Specificity: certain(true), Errors: a.Prevalence, falseNegative: p},
	}
	a.AUC = &Share{nil, (a.Sensitivity.Least + a.Specificity.Least) / 2, (a.Sensitivity.Most + a.Specificity.Most) / 2}
	if x, y := a.Sensitivity.Value, a.Specificity.Value; x != nil && y != nil {
		mean := (*x + *y) / 2
		a.AUC.Value = &mean
	}
}

// Counted names what was counted: rows, or persons.
func (a *Assessment) Counted() string { return a.counts.Counted() }

// Exact tells that the counts are, so that for the rows there are no intervals.
func (a *Assessment) Exact() bool { return !a.counts.Released() }

// logOf returns the natural logarithm of n, which is at least 1.
func logOf(n *big.Int) float64 {
	mantissa := new(big.Float)
	exponent := new(big.Float).SetInt(n).MantExp(mantissa)
	m, _ := mantissa.Float64()
	return math.Log(m) + float64(exponent)*math.Ln2
}

// noiseScale returns b, 0 for exact counts.
func (c *Counts) noiseScale() float64 { return noiseScale(c.Epsilon, c.Relation) }

// noiseScale returns b, 0 without a relation.
func noiseScale(epsilon privacy.Decimal, of privacy.Relation) float64 {
	if of == 0 {
		return 0
	}
	inverse, _ := inverse(epsilon, of).Float64()
	return 1 / inverse
}

// run returns the sum of one outcome over neighbouring grades.
func (c *Counts) run(of []*big.Int, from, to int) cells {
	sum := new(big.Int)
	for _, n := range of[from:to] {
		sum.Add(sum, n)
	}
	return cells{c.float(sum), to - from}
}

// addThresholds adds those of the counts, whose grades are in the order of thresholds.
func (a *Assessment) addThresholds(c *Counts, l strayer) {
	g := len(c.Scale.Grades)
	predicted := func(is int, of []Grade) bool {
		return slices.ContainsFunc(of, func(g Grade) bool { return g.Predicted == is })
	}
	for i := range g + 1 {
		t := Threshold{At: a.counts.Scale.Grades[g-1].Most + 1}
		if i < g {
			t.At = c.Scale.Grades[i].Least
		}
		t.Own = !predicted(1, c.Scale.Grades[:i]) && !predicted(0, c.Scale.Grades[i:])
		missed, hit := c.run(c.positive(), 0, i), c.run(c.positive(), i, g)
		spared, alarmed := c.run(c.negative(), 0, i), c.run(c.negative(), i, g)
		t.falseNegative, t.falsePositive = missed.sum, alarmed.sum
		t.Sensitivity, t.Specificity = l.share(hit, missed), l.share(spared, alarmed)
		if i == 0 || i == g { // certain
			t.Sensitivity, t.Specificity = certain(i == 0), certain(i == g)
		}
		t.Errors = l.share(missed.plus(alarmed), hit.plus(spared))
		a.Thresholds = append(a.Thresholds, t)
	}
}

// certainOf returns the share of rows that a model predicts alike, all or none of them; of no
// rows it is none.
func certainOf(all bool, rows cells) Share {
	if rows.sum <= 0 {
		return Share{nil, 0, 1}
	}
	return certain(all)
}

func certain(all bool) Share {
	v := 0.
	if all {
		v = 1
	}
	return Share{&v, v, v}
}

// Best returns the threshold at which the errors cost least by the counts, the greatest
// of several, or nil where there are none.
func (a *Assessment) Best(l learn.Loss) *Threshold {
	var best *Threshold
	least := math.Inf(1)
	for i := range a.Thresholds {
		t := &a.Thresholds[i]
		if cost := float64(l.FalsePositive)*t.falsePositive + float64(l.FalseNegative)*t.falseNegative; cost <= least {
			best, least = t, cost
		}
	}
	return best
}

// At returns the risk of the grade that holds the value.
func (a *Assessment) At(value int) *Risk {
	at := a.counts.Scale.Place(value)
	for i := range a.Risks {
		if at < a.Risks[i].to {
			return &a.Risks[i]
		}
	}
	return nil
}

// A Calibration compares the risk that was stated for some grades with what was found.
type Calibration struct {
	Risk
	Stated *float64 `json:"stated"` // the mean over the rows counted now
}

// Calibration compares the risks of this assessment, of a table that was not learned
// from, with those that stated has, of the same scale. The last one is of all rows.
func (a *Assessment) Calibration(stated *Assessment) []Calibration {
	g := len(a.counts.Scale.Grades)
	rows := new(big.Int)
	for _, r := range a.Risks {
		rows.Add(rows, r.Rows)
	}
	all := Risk{Least: a.counts.Scale.Grades[0].Least, Most: a.counts.Scale.Grades[g-1].Most, Rows: possible(rows, a.counts.Rows), Risk: a.Prevalence, to: g}
	var out []Calibration
	for _, r := range append(append([]Risk{}, a.Risks...), all) {
		sum, rows := 0., 0.
		for i := r.from; i < r.to; i++ {
			of := stated.At(a.counts.Scale.Grades[i].Least).Risk.Value
			here := a.counts.run(a.counts.positive(), i, i+1).plus(a.counts.run(a.counts.negative(), i, i+1)).sum
			if of != nil && here > 0 {
				sum += here * *of
				rows += here
			}
		}
		out = append(out, Calibration{r, ratio(sum, rows-sum)})
	}
	return out
}
