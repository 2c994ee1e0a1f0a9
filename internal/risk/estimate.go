package risk

import (
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/simplex"
)

// Even if the number of rows is public, the noisy counts of all cells do not add up to it. So sums of noisy counts
// contradict each other: the entries of the confusion matrix do not add up to the rows inside the domain, and the
// accuracy differs from one minus the share of errors. Therefore all estimates are computed from adjusted counts, which
// add up. Intervals are computed from the noisy counts, and widened to contain the
// estimates (docs/explanation/proofs/risk.md, section 3).

// estimate returns a copy of the counts with an estimate for each cell, in the fields values and outside. If Adjusted
// is true and the number of rows is public, these are least-squares estimates: all noisy counts are changed by the same
// number, up to one unit, so that they sum to the number of rows. Otherwise the noisy counts are the estimates.
func (c *Counts) estimate() *Counts {
	e := *c
	e.values, e.outside = c.Cells, c.Outside
	if !c.Adjusted || c.Rows == nil {
		return &e
	}
	cells := big.NewInt(int64(c.Scale.Cells()))
	missing := new(big.Int).Mul(c.Rows, big.NewInt(c.units()))
	missing.Sub(missing, c.Outside)
	for _, of := range c.Cells {
		for _, n := range of {
			missing.Sub(missing, n)
		}
	}
	each, more := new(big.Int).DivMod(missing, cells, new(big.Int))
	extra := int(more.Int64()) // cells that are changed by each + 1
	adjust := func(n *big.Int) *big.Int {
		n = new(big.Int).Add(n, each)
		if extra > 0 {
			n.Add(n, big.NewInt(1))
			extra--
		}
		return n
	}
	e.values = make([][]*big.Int, len(c.Cells))
	for o, of := range c.Cells {
		for _, n := range of {
			e.values[o] = append(e.values[o], adjust(n))
		}
	}
	e.outside = adjust(c.Outside)
	return &e
}

// settle makes the estimates of the confusion matrix m, and of the rows outside the domain, non-negative integers that
// sum to the number of rows or persons if that is public. It sets the values of the assessment's counts to these
// estimates. It also returns the number of correct predictions (right) with its new value.
//
// The estimates are first replaced by the nearest non-negative ones with the same sum: negative estimates become 0, and
// the others decrease. Then they are rounded.
func (a *Assessment) settle(m [][]entry, right Count) Count {
	c, total := a.counts, 0.0
	var of []float64
	for _, row := range m {
		for _, in := range row {
			of = append(of, in.cells.value)
			total += in.cells.value
		}
	}
	if c.Rows != nil {
		of, total = append(of, c.float(c.outside)), float(c.Rows)
	}
	of = rounded(simplex.Project(of, total))
	for o, row := range m {
		for p := range row {
			in := &m[o][p].cells
			in.value = of[o*len(row)+p]
			a.Confusion[o][p] = a.Confusion[o][p].containing(integer(in.value))
		}
	}
	if c.Rows != nil {
		a.Outside = a.Outside.containing(integer(of[len(of)-1]))
	}
	hit, missed := diagonal(m)
	a.Errors = a.Errors.containing(integer(missed.value))
	return right.containing(integer(hit.value))
}

// settleRisks makes the numbers of rows of the risks non-negative integers that sum to the number of rows inside the
// domain. If the grades are predictions, these numbers are sums of entries of the confusion matrix.
func (a *Assessment) settleRisks() {
	c, two := a.counts, a.Outcomes() == 2
	var of []float64
	for _, r := range a.Risks {
		rows := 0.0
		for o := range c.Cells {
			if two && c.Scale.Kind == Prediction {
				for p := r.from; p < r.to; p++ {
					rows += float(a.Confusion[o][p].Value)
				}
			} else {
				rows += c.run(o, r.from, r.to).value
			}
		}
		of = append(of, rows)
	}
	for i, n := range rounded(simplex.Project(of, float(a.Inside.Value))) {
		a.Risks[i].Rows = integer(n)
	}
	if two && len(a.Risks) == 1 {
		s := &a.Risks[0].Shares[0]
		*s = s.containing(a.Prevalence.Value)
	}
}

// integer converts a floating-point number without a fraction to a big.Int.
func integer(x float64) *big.Int {
	n, _ := big.NewFloat(x).Int(nil)
	return n
}

// rounded rounds non-negative numbers to integers, so that their sum does not change if it is an integer of at most
// 2⁵²: the numbers with the greatest fractions are rounded up.
func rounded(of []float64) []float64 {
	sum, whole := 0.0, 0.0
	out := make([]float64, len(of))
	for i, x := range of {
		out[i] = math.Floor(x + rounding)
		sum, whole = sum+x, whole+out[i]
	}
	for missing := math.Round(sum) - whole; missing >= 1 && missing <= float64(len(of)); missing-- {
		greatest := 0
		for i := range of {
			if of[i]-out[i] > of[greatest]-out[greatest] {
				greatest = i
			}
		}
		out[greatest]++
	}
	return out
}
