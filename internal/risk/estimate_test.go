package risk

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/privacytest"
	"github.com/sibyl-dp/sibyl/privacy"
)

// near reports whether two shares have nearly the same value, or none.
func near(a Share, b *float64) bool {
	if a.Value == nil || b == nil {
		return a.Value == nil && b == nil
	}
	return math.Abs(*a.Value-*b) < 1e-9
}

// estimates returns counts of random rows with noise. The scale has several kinds of grades.
func estimates(t *testing.T, r *rand.Rand, relation privacy.Relation) *Counts {
	t.Helper()
	predicted := []int{0, 1, 1, 0, 1, 0}
	rules, err := Rules([]bool{false, true, false, true})
	if err != nil {
		t.Fatal(err)
	}
	leaves, err := Leaves(2, predicted)
	if err != nil {
		t.Fatal(err)
	}
	several, err := Leaves(3, []int{2, 0, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	s := []Scale{rules, leaves, several, Predictions(2), Predictions(4), Totals(0, [][]int{{0, 1, 2, 3, 4}}, 3)}[r.IntN(6)]
	most := []int{1, 10, 1000, 1_000_000}[r.IntN(4)]
	epsilon := privacytest.Decimal(t, []string{"0.05", "1", "8"}[r.IntN(3)])
	c, err := Noisy(s, make([]*big.Int, s.Cells()), epsilon, relation)
	if err != nil {
		t.Fatal(err)
	}
	units, rows := float64(c.units()), 0.0
	draw := func() *big.Int {
		n := 0
		if r.IntN(3) > 0 {
			n = r.IntN(most)
		}
		rows += float64(n)
		noise := c.noiseScale() * (r.ExpFloat64() - r.ExpFloat64())
		return big.NewInt(int64(math.Round((float64(n) + noise) * units)))
	}
	for _, of := range c.Cells {
		for i := range of {
			of[i] = draw()
		}
	}
	c.Outside = draw()
	if relation.Replaces() {
		c.Rows = big.NewInt(int64(rows))
	}
	return c
}

// The numbers of an assessment agree with each other: the entries of the confusion matrix add up to the rows inside the
// domain, and with those outside to the public number of rows. The shares are ratios of these numbers. Each number is
// within its interval.
func TestNumbersOfAnAssessmentAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	for range 3000 {
		relation := []privacy.Relation{privacy.ReplaceOne, privacy.AddRemove, privacy.ReplaceOne.OfPersons(3), privacy.AddRemove.OfPersons(2)}[r.IntN(4)]
		c := estimates(t, r, relation)
		for _, of := range []Target{Rows, Population} {
			a := c.Assess(of, nil)
			inside, errors := new(big.Int), new(big.Int)
			var right float64
			byOutcome := make([]float64, len(a.Confusion))
			for o, row := range a.Confusion {
				for p, in := range row {
					inside.Add(inside, in.Value)
					byOutcome[o] += float(in.Value)
					if o == p {
						right += float(in.Value)
					} else {
						errors.Add(errors, in.Value)
					}
					if in.Value.Sign() < 0 || in.Value.Cmp(in.Least) < 0 || in.Value.Cmp(in.Most) > 0 {
						t.Fatalf("%v of %v: an entry is %+v", of, c, in)
					}
				}
			}
			if a.Inside.Value.Cmp(inside) != 0 || a.Errors.Value.Cmp(errors) != 0 {
				t.Fatalf("%v: %v inside and %v errors, and the matrix says %v and %v", c.Scale.Kind, a.Inside, a.Errors, inside, errors)
			}
			if c.Rows != nil && inside.Add(inside, a.Outside.Value).Cmp(c.Rows) != 0 {
				t.Fatalf("%v: %v rows, not %v", c.Scale.Kind, inside, c.Rows)
			}
			for name, n := range map[string]Count{"inside": a.Inside, "outside": a.Outside, "errors": a.Errors} {
				if n.Value.Cmp(n.Least) < 0 || n.Value.Cmp(n.Most) > 0 {
					t.Fatalf("%s: %v", name, n)
				}
			}
			if !near(a.Accuracy, ratio(right, float(a.Errors.Value))) {
				t.Fatalf("%v: an accuracy of %s for %v right and %v errors", c.Scale.Kind, text(a.Accuracy), right, a.Errors.Value)
			}
			for o, s := range a.Sensitivity {
				hit := float(a.Confusion[o][o].Value)
				if s.Least != s.Most && !near(s, ratio(hit, byOutcome[o]-hit)) {
					t.Fatalf("%v: a sensitivity of %s for %v of %v", c.Scale.Kind, text(s), hit, byOutcome[o])
				}
			}
			if rows := new(big.Int); a.Risks != nil {
				for _, r := range a.Risks {
					rows.Add(rows, r.Rows)
				}
				if rows.Cmp(a.Inside.Value) != 0 {
					t.Fatalf("%v: the risks are of %v rows, and %v are inside", c.Scale.Kind, rows, a.Inside.Value)
				}
			}
			if len(byOutcome) > 2 {
				continue
			}
			if len(a.Risks) == 1 && !near(a.Risks[0].Shares[0], a.Prevalence.Value) {
				t.Fatalf("%v: a risk of %s for all rows, and a prevalence of %s", c.Scale.Kind, text(a.Risks[0].Shares[0]), text(a.Prevalence))
			}
			if !near(a.Prevalence, ratio(byOutcome[1], byOutcome[0])) {
				t.Fatalf("%v: a prevalence of %s for %v", c.Scale.Kind, text(a.Prevalence), byOutcome)
			}
			for i, own := range a.Thresholds {
				if !own.Own {
					continue
				}
				certain := i == 0 || i == len(a.Thresholds)-1
				if !near(own.Errors, ratio(float(a.Errors.Value), right)) || !certain && (!near(own.Sensitivity, a.Sensitivity[1].Value) || !near(own.Specificity, a.Sensitivity[0].Value)) {
					t.Fatalf("%v: the own threshold is %+v, and the assessment %+v", c.Scale.Kind, own, a)
				}
			}
		}
	}
}

// The estimates of all cells add up to the number of rows, differ from the noisy counts by the same number up to one unit, and
// are the noisy counts if the number of rows is private or the counts are from an earlier version.
func TestEstimatesOfCells(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 2))
	for range 300 {
		relation := []privacy.Relation{privacy.ReplaceOne, privacy.ReplaceOne.OfPersons(3)}[r.IntN(2)]
		c := estimates(t, r, relation)
		e := c.estimate()
		sum, least, most := new(big.Int).Set(e.outside), int64(math.MaxInt64), int64(math.MinInt64)
		see := func(noisy, value *big.Int) {
			d := new(big.Int).Sub(value, noisy).Int64()
			least, most = min(least, d), max(most, d)
		}
		see(c.Outside, e.outside)
		for o, of := range e.values {
			for i, n := range of {
				sum.Add(sum, n)
				see(c.Cells[o][i], n)
			}
		}
		if sum.Cmp(new(big.Int).Mul(c.Rows, big.NewInt(c.units()))) != 0 || most-least > 1 {
			t.Errorf("%v rows: the estimates add up to %v, and differ by %d to %d", c.Rows, sum, least, most)
		}
		private, earlier := *c, *c
		private.Rows, earlier.Adjusted = nil, false
		for _, same := range []*Counts{private.estimate(), earlier.estimate()} {
			if same.outside.Cmp(c.Outside) != 0 || same.values[1][0].Cmp(c.Cells[1][0]) != 0 {
				t.Errorf("the counts %v become %v", c.Cells, same.values)
			}
		}
	}
}

// If the public number of rows corrects the noise, the errors of estimates are smaller on average than those of noisy
// counts.
func TestEstimatesAreCloser(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 2))
	noisy, adjusted := 0.0, 0.0
	for range 2000 {
		cells := make([]*big.Int, Predictions(2).Cells())
		for i := range cells {
			cells[i] = big.NewInt(1000 + int64(math.Round(20*(r.ExpFloat64()-r.ExpFloat64()))))
		}
		c, err := Noisy(Predictions(2), cells, privacytest.Decimal(t, "0.1"), privacy.ReplaceOne)
		if err != nil {
			t.Fatal(err)
		}
		c.Rows = big.NewInt(5000)
		for _, is := range []bool{false, true} {
			c.Adjusted = is
			d := float(c.Assess(Rows, nil).Errors.Value) - 2000
			if is {
				adjusted += d * d
			} else {
				noisy += d * d
			}
		}
	}
	// The noise of two of five cells, of variance 2σ², becomes 2·(1 - 2/5)·σ².
	if ratio := adjusted / noisy; math.Abs(ratio-.6) > .06 {
		t.Errorf("the mean square error is %.3f of that of noisy counts, not .6", ratio)
	}
}
