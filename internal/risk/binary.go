package risk

import (
	"encoding/json"
	"math"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/learn"
)

// This file has the estimates that require a positive and a negative outcome: pooled risks, thresholds, the area under
// the receiver operating characteristic, costs and calibration.

// A Threshold holds the error rates of a rule that predicts 1 for a certain grade (see Grade) and all grades after it.
type Threshold struct {
	At          int   `json:"at"`          // the least value for which 1 is predicted, or the first such leaf in Order; greater than all grades if 1 is never predicted
	Sensitivity Share `json:"sensitivity"` // the share of positive rows that are predicted 1
	Specificity Share `json:"specificity"` // the share of negative rows that are predicted 0
	Errors      Share `json:"errors"`      // the share of misclassified rows
	Own         bool  `json:"own,omitempty"`

	falsePositive, falseNegative float64
}

// pool sets a.Risks to one element for each range of pooled grades (see Counts.pool). It does not set their Shares.
func (a *Assessment) pool() {
	c := a.counts
	for _, b := range c.pool() {
		r := Risk{Least: c.Scale.Grades[b.from].Least, Most: c.Scale.Grades[b.to-1].Most, Pooled: b.why, from: b.from, to: b.to, Rows: new(big.Int)}
		for i := b.from; i < b.to; i++ {
			r.Rows.Add(r.Rows, c.values[1][i]).Add(r.Rows, c.values[0][i])
		}
		r.Rows = c.counted(r.Rows)
		a.Risks = append(a.Risks, r)
	}
}

// addBinary adds the estimates that exist only for labels with two outcomes: the prevalence, the risks, the thresholds
// and the area under the receiver operating characteristic. The parameter chosen is the logarithm of the number of
// models from which the model was selected.
func (a *Assessment) addBinary(l strayer, chosen float64) {
	c := a.counts
	g := len(c.Scale.Grades)
	a.Prevalence = l.share(c.run(1, 0, g), c.run(0, 0, g))
	if m := a.Confusion; c.Adjusted {
		a.Prevalence = a.Prevalence.containing(m[1][0].plus(m[1][1]).of(m[0][0].plus(m[0][1])).Value)
	}
	for i := range a.Risks {
		r := &a.Risks[i]
		r.Shares = []Share{l.share(c.run(1, r.from, r.to), c.run(0, r.from, r.to))}
	}
	switch {
	case c.Scale.Ordered():
		a.addThresholds(c, l)
		ranked := c
		if c.each != nil {
			ranked = c.each.estimate()
		}
		auc := ranked.area(l.sampling, chosen)
		a.AUC = &auc
	case c.Scale.Kind == Leaf:
		a.rank(l, chosen)
	}
}

// boxed reports whether the intervals of all shares follow from the intervals of seven counts (see the beginning of
// counted.go), because the shares are ratios of these counts. This is the case if the target is Rows and the grades
// are predictions.
func boxed(of Target, k Kind) bool { return of == Rows && k == Prediction }

// addBoxed sets all shares of the assessment to ratios of its counts, and derives their intervals from those of the
// counts. It must be called only if boxed returns true. The parameter right is the number of correct predictions.
func (a *Assessment) addBoxed(right Count) {
	truePositive, falseNegative := a.Confusion[1][1], a.Confusion[1][0]
	falsePositive, trueNegative := a.Confusion[0][1], a.Confusion[0][0]
	positive, negative := truePositive.plus(falseNegative), trueNegative.plus(falsePositive)
	a.Accuracy = right.of(a.Errors)
	a.Sensitivity = []Share{trueNegative.of(falsePositive), truePositive.of(falseNegative)}
	a.Prevalence = positive.of(negative)
	for i := range a.Risks {
		r := &a.Risks[i]
		s := truePositive.of(falsePositive)
		switch {
		case r.to-r.from == 2:
			s = a.Prevalence
		case r.from == 0:
			s = falseNegative.of(trueNegative)
		}
		r.Shares = []Share{s}
	}
	c := a.counts
	sensitivity, specificity := a.Sensitivity[1], a.Sensitivity[0]
	a.Thresholds = []Threshold{
		{At: 0, Sensitivity: certain(true), Specificity: certain(false), Errors: negative.of(positive), falsePositive: c.run(0, 0, 2).value},
		{At: 1, Sensitivity: sensitivity, Specificity: specificity, Errors: a.Errors.of(right), Own: true, falsePositive: c.run(0, 1, 2).value, falseNegative: c.run(1, 0, 1).value},
		{At: 2, Sensitivity: certain(false), Specificity: certain(true), Errors: a.Prevalence, falseNegative: c.run(1, 0, 2).value},
	}
	a.AUC = &Share{nil, (sensitivity.Least + specificity.Least) / 2, (sensitivity.Most + specificity.Most) / 2}
	if x, y := sensitivity.Value, specificity.Value; x != nil && y != nil {
		mean := (*x + *y) / 2
		a.AUC.Value = &mean
	}
}

// addThresholds adds the error rates at each threshold to the assessment. The parameter c holds its counts, with the
// grades in increasing order of risk.
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
		missed, hit := c.run(1, 0, i), c.run(1, i, g)
		spared, alarmed := c.run(0, 0, i), c.run(0, i, g)
		t.falseNegative, t.falsePositive = missed.value, alarmed.value
		t.Sensitivity, t.Specificity = l.share(hit, missed), l.share(spared, alarmed)
		if i == 0 || i == g { // certain
			t.Sensitivity, t.Specificity = certain(i == 0), certain(i == g)
		}
		t.Errors = l.share(missed.plus(alarmed), hit.plus(spared))
		if t.Own && c.Adjusted {
			t.Errors = t.Errors.containing(a.Errors.of(a.Inside.minus(a.Errors)).Value)
			if 0 < i && i < g {
				t.Sensitivity, t.Specificity = t.Sensitivity.containing(a.Sensitivity[1].Value), t.Specificity.containing(a.Sensitivity[0].Value)
			}
		}
		a.Thresholds = append(a.Thresholds, t)
	}
}

// Best returns the threshold with the smallest estimated cost of errors. Of several such thresholds, it returns the
// greatest. It returns nil if there are no thresholds.
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

// Cost returns the total cost of the misclassified rows, for labels with two outcomes. The loss l states the cost of a
// false positive and of a false negative.
func (a *Assessment) Cost(l learn.Loss) Count {
	return a.Confusion[0][1].times(l.FalsePositive).plus(a.Confusion[1][0].times(l.FalseNegative))
}

// A Calibration compares the observed risk of several adjacent grades (see Grade) with the risk that a model states
// for them.
type Calibration struct {
	Risk
	Stated *float64 // the mean of the stated risks, weighted by the rows of this assessment; nil if there are none
}

// MarshalJSON writes the observed and the stated risk as one JSON object.
func (c Calibration) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		riskJSON
		Stated *float64 `json:"stated"`
	}{c.json(), c.Stated})
}

// Calibration compares the risks of this assessment with those that a model states. The assessment must be on a table
// other than the one from which the model was learned, and both assessments must have the same scale. The last element
// describes all rows. Calibration returns nil for labels with more than two outcomes.
func (a *Assessment) Calibration(stated *Assessment) []Calibration {
	if a.Outcomes() > 2 {
		return nil
	}
	g := len(a.counts.Scale.Grades)
	all := Risk{Least: a.counts.Scale.Grades[0].Least, Most: a.counts.Scale.Grades[g-1].Most, Rows: a.Inside.Value, Shares: []Share{a.Prevalence}, to: g}
	var out []Calibration
	for _, r := range append(append([]Risk{}, a.Risks...), all) {
		sum, rows := 0., 0.
		for i := r.from; i < r.to; i++ {
			of := stated.At(a.counts.Scale.Grades[i].Least).Shares[0].Value
			here := a.counts.run(1, i, i+1).plus(a.counts.run(0, i, i+1)).value
			if of != nil && here > 0 {
				sum += here * *of
				rows += here
			}
		}
		out = append(out, Calibration{r, ratio(sum, rows-sum)})
	}
	return out
}
