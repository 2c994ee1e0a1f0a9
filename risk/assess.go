package risk

import (
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/learn"
)

// A Target is what shares are said of.
type Target string

const (
	// Rows are the rows that were counted: intervals are for the noise alone.
	Rows Target = "rows"
	// Population is what the rows are independent draws from: intervals are for noise
	// and sampling. They hold if the model was fixed before the rows were drawn, or for
	// whichever of so many models was chosen by them.
	Population Target = "population"
)

// Confidence is the probability with which all intervals of an Assessment hold at once.
const Confidence = learn.Confidence

// Of the twentieth that intervals may miss together, areaMiss is that of the area, and
// shareMiss that of all others.
const (
	areaMiss  = 0.01
	shareMiss = 1 - Confidence - areaMiss
)

// An Assessment is what follows from counts. All of it speaks of rows inside the schema's
// domain.
type Assessment struct {
	Of         Target   `json:"of"`
	Rows       *big.Int `json:"rows"` // counted inside the domain
	Prevalence Share    `json:"prevalence"`
	Accuracy   Share    `json:"accuracy"` // of the model's own predictions
	Risks      []Risk   `json:"risks"`    // of all grades, ascending

	// Thresholds and AUC are there where the scale is ordered. A row of either label is
	// drawn: AUC is the probability that the positive one has the greater grade, equal
	// grades counting one half.
	Thresholds []Threshold `json:"thresholds,omitempty"`
	AUC        *Share      `json:"auc,omitempty"`

	counts *Counts
}

// A Risk is the share of positive labels among rows of some neighbouring grades.
type Risk struct {
	Least  int      `json:"least"` // the values of the grades
	Most   int      `json:"most"`
	Rows   *big.Int `json:"rows"` // counted
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
	At          int   `json:"at"`          // the least value that predicts 1; above all grades for none
	Sensitivity Share `json:"sensitivity"` // of positive rows, those predicted 1
	Specificity Share `json:"specificity"` // of negative rows, those predicted 0
	Errors      Share `json:"errors"`      // of all rows, those predicted wrongly
	Own         bool  `json:"own,omitempty"`

	falsePositive, falseNegative float64
}

// Assess returns what follows from the counts for the target. models is how many models
// the rows that were counted had to choose from, nil for one that was fixed before: it
// makes intervals for the population as much wider as that takes, and has no part in those
// for rows.
func (c *Counts) Assess(of Target, models *big.Int) *Assessment {
	g := len(c.Scale.Grades)
	l := strayer{scale: c.noiseScale(), sampling: of == Population}
	all := 0
	if c.Scale.Ordered() {
		all = g*(g+1)/2 + 3*g - 1 // risks of any run, then sensitivities, specificities, errors
	} else {
		all = g + 2 // risks, prevalence, accuracy
	}
	l.log = math.Log(3*float64(all)) - math.Log(shareMiss) // T either way, and the number of rows
	chosen := 0.
	if models != nil && of == Population {
		chosen = logOf(models)
		l.log += chosen
	}
	a := &Assessment{Of: of, counts: c}
	inside := new(big.Int)
	for i := range g {
		inside.Add(inside, c.Positive[i]).Add(inside, c.Negative[i])
	}
	a.Rows = inside
	a.Prevalence = l.share(c.run(c.Positive, 0, g), c.run(c.Negative, 0, g))
	for _, b := range c.pool() {
		r := Risk{Least: c.Scale.Grades[b.from].Least, Most: c.Scale.Grades[b.to-1].Most, Pooled: b.why, from: b.from, to: b.to, Rows: new(big.Int)}
		for i := b.from; i < b.to; i++ {
			r.Rows.Add(r.Rows, c.Positive[i]).Add(r.Rows, c.Negative[i])
		}
		r.Risk = l.share(c.run(c.Positive, b.from, b.to), c.run(c.Negative, b.from, b.to))
		a.Risks = append(a.Risks, r)
	}
	right, wrong := cells{}, cells{}
	for i, grade := range c.Scale.Grades {
		p, n := c.run(c.Positive, i, i+1), c.run(c.Negative, i, i+1)
		if grade.Predicted {
			right, wrong = right.plus(p), wrong.plus(n)
		} else {
			right, wrong = right.plus(n), wrong.plus(p)
		}
	}
	a.Accuracy = l.share(right, wrong)
	if c.Scale.Ordered() {
		a.addThresholds(l)
		auc := c.area(l.sampling, chosen)
		a.AUC = &auc
	}
	return a
}

// logOf returns the natural logarithm of n, which is at least 1.
func logOf(n *big.Int) float64 {
	mantissa := new(big.Float)
	exponent := new(big.Float).SetInt(n).MantExp(mantissa)
	m, _ := mantissa.Float64()
	return math.Log(m) + float64(exponent)*math.Ln2
}

// noiseScale returns b, 0 for exact counts.
func (c *Counts) noiseScale() float64 {
	if !c.Released() {
		return 0
	}
	inverse, _ := c.inverse().Float64()
	return 1 / inverse
}

// run returns the sum of one outcome over neighbouring grades.
func (c *Counts) run(of []*big.Int, from, to int) cells {
	sum := new(big.Int)
	for _, n := range of[from:to] {
		sum.Add(sum, n)
	}
	f, _ := new(big.Float).SetInt(sum).Float64()
	return cells{f, to - from}
}

func (a *Assessment) addThresholds(l strayer) {
	c := a.counts
	g := len(c.Scale.Grades)
	for i := range g + 1 {
		t := Threshold{At: c.Scale.Grades[g-1].Most + 1}
		if i < g {
			t.At = c.Scale.Grades[i].Least
		}
		t.Own = (i == 0 || !c.Scale.Grades[i-1].Predicted) && (i == g || c.Scale.Grades[i].Predicted)
		missed, hit := c.run(c.Positive, 0, i), c.run(c.Positive, i, g)
		spared, alarmed := c.run(c.Negative, 0, i), c.run(c.Negative, i, g)
		t.falseNegative, t.falsePositive = missed.sum, alarmed.sum
		t.Sensitivity, t.Specificity = l.share(hit, missed), l.share(spared, alarmed)
		if i == 0 || i == g { // certain
			t.Sensitivity, t.Specificity = certain(i == 0), certain(i == g)
		}
		t.Errors = l.share(missed.plus(alarmed), hit.plus(spared))
		a.Thresholds = append(a.Thresholds, t)
	}
}

func certain(all bool) Share {
	v := 0.
	if all {
		v = 1
	}
	return Share{&v, v, v}
}

// Best returns the threshold at which the errors cost least by the counts, the greatest
// of several, or nil where the scale is not ordered.
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
	all := Risk{Least: a.counts.Scale.Grades[0].Least, Most: a.counts.Scale.Grades[g-1].Most, Rows: a.Rows, Risk: a.Prevalence, to: g}
	var out []Calibration
	for _, r := range append(append([]Risk{}, a.Risks...), all) {
		sum, rows := 0., 0.
		for i := r.from; i < r.to; i++ {
			of := stated.At(a.counts.Scale.Grades[i].Least).Risk.Value
			here := a.counts.run(a.counts.Positive, i, i+1).plus(a.counts.run(a.counts.Negative, i, i+1)).sum
			if of != nil && here > 0 {
				sum += here * *of
				rows += here
			}
		}
		out = append(out, Calibration{r, ratio(sum, rows-sum)})
	}
	return out
}
