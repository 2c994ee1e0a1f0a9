package risk

import (
	"cmp"
	"math"
	"math/big"
	"slices"
)

// The leaves of a tree have no natural order. They are ordered by the risks that a model states for them, or
// otherwise by the risks that these counts estimate. In the second case, the set of leaves above a threshold depends
// on the noise. The intervals of the thresholds therefore hold simultaneously for all sets of leaves, and the
// interval of the area follows from them (docs/explanation/proofs/risk.md, section 4).

// rank orders the leaves of a tree by risk, and adds the thresholds and the area under the curve that follow from
// this order to the assessment. The parameter chosen is the logarithm of the number of models from which the model
// was selected.
func (a *Assessment) rank(l strayer, chosen float64) {
	c := a.counts
	a.Order = c.Order
	if c.Order == nil {
		a.Order = a.byRisk()
	}
	ranked := c.ranked(a.Order)
	if c.Order != nil || l.scale == 0 && !l.sampling {
		a.addThresholds(ranked, l)
		auc := ranked.area(l.sampling, chosen)
		a.AUC = &auc
		return
	}
	l.log = float64(len(a.Order))*math.Ln2 + math.Log(boundsOfSet) - math.Log(areaMiss) + chosen
	a.addThresholds(ranked, l)
	auc := a.between(ranked.area(false, 0).Value)
	a.AUC = &auc
}

// boundsOfSet is the number of probabilistic bounds for the set of leaves above a threshold. Three shares belong to
// the set: the sensitivity, the specificity and the error rate. Each needs three bounds.
const boundsOfSet = 9

// byRisk returns the numbers of the leaves in increasing order of estimated risk. A leaf without an estimate is
// ordered by the risk of all rows.
func (a *Assessment) byRisk() []int {
	risk := func(number int) float64 {
		switch r := a.Risks[number-1].Shares[0].Value; {
		case r != nil:
			return *r
		case a.Prevalence.Value != nil:
			return *a.Prevalence.Value
		}
		return 0
	}
	order := make([]int, len(a.Risks))
	for i := range order {
		order[i] = i + 1
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(risk(i), risk(j)) })
	return order
}

// ranked returns a copy of the counts with the leaves in the given order. Its grades may not be increasing, as those
// of other Counts are, so the result must not leave this package.
func (c *Counts) ranked(order []int) *Counts {
	r := *c
	r.Scale.Grades, r.Cells, r.values = nil, make([][]*big.Int, len(c.Cells)), make([][]*big.Int, len(c.Cells))
	for _, number := range order {
		r.Scale.Grades = append(r.Scale.Grades, c.Scale.Grades[number-1])
		for o, of := range c.Cells {
			r.Cells[o] = append(r.Cells[o], of[number-1])
			r.values[o] = append(r.values[o], c.values[o][number-1])
		}
	}
	return &r
}

// between returns the area under the curve with its interval, which follows from the intervals of the sensitivity
// and the specificity at all thresholds. The parameter value is the estimate of the area, or nil.
//
// The area increases in each sensitivity and in each specificity, as long as the sensitivity does not increase from
// one threshold to the next. So the lower end of the interval is the area for all lower bounds, and the upper end is
// the area for all upper bounds.
func (a *Assessment) between(value *float64) Share {
	n := len(a.Thresholds)
	least, most := make([]float64, n), make([]float64, n) // of sensitivities
	for i, t := range a.Thresholds {
		most[i] = t.Sensitivity.Most
		if i > 0 {
			most[i] = min(most[i], most[i-1])
		}
	}
	for i := n - 1; i >= 0; i-- {
		least[i] = a.Thresholds[i].Sensitivity.Least
		if i < n-1 {
			least[i] = max(least[i], least[i+1])
		}
	}
	s := Share{value, 0, 0}
	for i := range n - 1 {
		t, u := a.Thresholds[i].Specificity, a.Thresholds[i+1].Specificity
		s.Least += (u.Least - t.Least) * (least[i] + least[i+1]) / 2
		s.Most += (u.Most - t.Most) * (most[i] + most[i+1]) / 2
	}
	s.Least, s.Most = max(s.Least-rounding, 0), min(s.Most+rounding, 1)
	if value != nil {
		s.Least, s.Most = min(s.Least, *value), max(s.Most, *value)
	}
	return s
}
