package audit

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/papers/boosting"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// A divided table has so many rows of label 0 and 1, and null ones.
type divided struct{ zeros, ones, null int64 }

func (d divided) examples() (all examples) {
	for label, n := range []int64{d.zeros, d.ones} {
		if n > 0 {
			all = append(all, learn.Example[[]uint16]{X: []uint16{0}, Label: label == 1, Count: n})
		}
	}
	return all
}

// divisions visits what each part may have of a table whose rows go to parts one after the other:
// to each with a probability in proportion to its places that are left, or, where places are not
// used up, to all its places.
func (d divided) divisions(places []int64, used bool, visit func(parts []divided, probability float64)) {
	parts, left := make([]divided, len(places)), append([]int64(nil), places...)
	var next func(row int64, probability float64)
	next = func(row int64, probability float64) {
		if row == d.zeros+d.ones+d.null {
			visit(parts, probability)
			return
		}
		all := int64(0)
		for _, n := range left {
			all += n
		}
		for i, n := range left {
			if n == 0 {
				continue
			}
			own := &parts[i].null
			if row < d.zeros {
				own = &parts[i].zeros
			} else if row < d.zeros+d.ones {
				own = &parts[i].ones
			}
			*own++
			if used {
				left[i]--
			}
			next(row+1, probability*float64(n)/float64(all))
			if used {
				left[i]++
			}
			*own--
		}
	}
	next(0, 1)
}

// neighboursOf returns the pairs of neighbours among tables.
func neighboursOf(tables []divided, r privacy.Relation) (pairs [][2]int) {
	for i, a := range tables {
		for j, b := range tables[:i] {
			x, y := []int64{a.zeros, a.ones, a.null}, []int64{b.zeros, b.ones, b.null}
			if neighbours(r, x, y) {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	return pairs
}

// tablesOf returns the tables of so many rows, or of up to so many, with two null rows at most, or
// all of them null.
func tablesOf(rows int64, r privacy.Relation) (all []divided) {
	for n := int64(0); n <= rows; n++ {
		if n < rows && r.Replaces() {
			continue
		}
		for null := range min(n, 2) + 1 {
			for ones := range n - null + 1 {
				all = append(all, divided{n - null - ones, ones, null})
			}
		}
	}
	return all
}

// follows checks that what a mechanism answers on tables has the probabilities of a formula for the
// answer 1, and that neighbours lose at most ε by these.
func (w *sweep) follows(t *testing.T, name string, r privacy.Relation, epsilon float64, tables []divided, release func(examples, noise.Coins) (int, error), formula func(divided) float64) {
	t.Helper()
	probabilities := make([]float64, len(tables))
	for i, d := range tables {
		probabilities[i] = formula(d)
		law := LawOf(t, func(c noise.Coins) int {
			x, err := release(d.examples(), c)
			if err != nil {
				t.Fatal(err)
			}
			return x
		}, InFull(1e-7, 1e-9))
		if lo, hi := law.Bounds(1); probabilities[i] < lo*(1-1e-9) || probabilities[i] > hi*(1+1e-9) || law.Tail() > probabilities[i]/2 {
			t.Errorf("%s: %+v: the formula gives %g, enumeration %g to %g", name, d, probabilities[i], lo, hi)
		}
	}
	for _, pair := range neighboursOf(tables, r) {
		p, q := probabilities[pair[0]], probabilities[pair[1]]
		loss := max(math.Abs(math.Log(p/q)), math.Abs(math.Log((1-p)/(1-q))))
		w.add(t, fmt.Sprintf("%s: %+v and %+v", name, tables[pair[0]], tables[pair[1]]), loss/epsilon)
	}
}

// epsilonOf is the ε of a pure guarantee.
func epsilonOf(t *testing.T, g privacy.Guarantee) float64 {
	t.Helper()
	e, err := privacy.Epsilon(g, privacy.Decimal{})
	if err != nil {
		t.Fatal(err)
	}
	epsilon, _ := e.Rat().Float64()
	return epsilon
}

// Samples of tables of every size, of few rows and of nearly all, with null rows and without, have
// the law of rows drawn one after the other without replacement, or each with the rate; neighbours
// lose at most the ε that sampling leaves, and all of it somewhere.
func TestSubsampleSweep(t *testing.T) {
	w := newSweep(0)
	for _, c := range []struct {
		rows, k int64
		rate    string // in place of k
		epsilon string
		most    int64
	}{
		{rows: 2, k: 1, epsilon: "2", most: 1}, {rows: 4, k: 2, epsilon: "1", most: 9}, {rows: 5, k: 4, epsilon: "1.5", most: 2},
		{rows: 6, k: 1, epsilon: "3", most: 1}, {rows: 6, k: 3, epsilon: "0.5", most: 9}, {rows: 7, k: 5, epsilon: "0.7", most: 9}, {rows: 3, k: 3, epsilon: "1", most: 9},
		{rows: 3, rate: "0.3", epsilon: "2", most: 1}, {rows: 4, rate: "0.9", epsilon: "1", most: 9}, {rows: 4, rate: "0.05", epsilon: "1.5", most: 9},
	} {
		r, inner := privacy.ReplaceOne, telling(nil)
		e := epsilonOf(t, newStep(t, c.epsilon, r, 1).Guarantee())
		places := []int64{c.k, c.rows - c.k}
		if c.rate != "" {
			r = privacy.AddRemove
			share, _ := decimal(t, c.rate).Rat().Float64()
			places = []int64{int64(math.Round(100 * share)), 100 - int64(math.Round(100*share))}
			inner = thinned(t, newStep(t, c.epsilon, r, c.most), c.rate)
		} else {
			inner = subsampled(t, newStep(t, c.epsilon, r, c.most), c.rows, c.k)
		}
		w.follows(t, fmt.Sprintf("%+v", c), r, epsilonOf(t, inner.Guarantee()), tablesOf(c.rows, r), func(d examples, coins noise.Coins) (int, error) {
			return inner.Release(context.Background(), d, coins)
		}, func(d divided) (p float64) {
			d.divisions(places, r.Replaces(), func(parts []divided, probability float64) {
				p += probability * math.Exp(e*float64(min(parts[0].ones, c.most))) / 1000
			})
			return p
		})
	}
	w.tell(t, 0.99)
}

// Boosting on tables of every size, with parts of one row and of several, rows that are left over
// and null ones, has the law of candidates and a choice on the parts of a division; neighbours lose
// at most the larger ε of the two, and nearly all of it somewhere.
func TestBoostSweep(t *testing.T) {
	constants := newCorner(t, []int{1}, 0, nil)
	w := newSweep(0)
	for _, c := range []struct {
		plan         boosting.BoostPlan
		base, choice string
		relation     privacy.Relation
	}{
		{boosting.BoostPlan{Rows: 2, Parts: 1}, "2", "1", privacy.ReplaceOne},
		{boosting.BoostPlan{Rows: 4, Parts: 2, Validation: 1}, "1", "2", privacy.ReplaceOne}, // one row is left over
		{boosting.BoostPlan{Rows: 5, Parts: 2, Validation: 3}, "2", "3", privacy.ReplaceOne},
		{boosting.BoostPlan{Rows: 5, Parts: 1, Validation: 3}, "1.5", "1.5", privacy.ReplaceOne},
		{boosting.BoostPlan{Rows: 4, Parts: 3}, "2", "2", privacy.ReplaceOne},
		{boosting.BoostPlan{Rows: 3, Parts: 2, Validation: 1}, "1", "3", privacy.AddRemove},
		{boosting.BoostPlan{Rows: 7, Parts: 2, Validation: 4}, "2", "1", privacy.AddRemove}, // and tables of fewer rows
	} {
		exponential, err := learn.NewExponential(constants, decimal(t, "1"), c.relation, learn.ZeroOne)
		if err != nil {
			t.Fatal(err)
		}
		m, err := boosting.NewBoost[[]uint16, scorecard.Card](lean{exponential, newStep(t, c.base, c.relation, 3)}, c.plan, decimal(t, c.choice))
		if err != nil {
			t.Fatal(err)
		}
		base := epsilonOf(t, newStep(t, c.base, c.relation, 9).Guarantee())
		rate := rateOf(epsilonOf(t, newStep(t, c.choice, c.relation, 9).Guarantee()), c.relation, 1)
		train := (c.plan.Rows - c.plan.Validation) / int64(c.plan.Parts)
		var places []int64
		for range c.plan.Parts {
			places = append(places, train)
		}
		places = append(places, c.plan.Rows-train*int64(c.plan.Parts))
		w.follows(t, fmt.Sprintf("%+v", c), c.relation, epsilonOf(t, m.Guarantee()), tablesOf(min(c.plan.Rows, 5), c.relation), func(d examples, coins noise.Coins) (int, error) {
			card, err := m.Release(context.Background(), d, coins)
			return bit(constants.Predict(card, []uint16{0})), err
		}, func(d divided) (p float64) {
			d.divisions(places, c.relation.Replaces(), func(parts []divided, probability float64) {
				last := len(parts) - 1
				weight := [2]float64{math.Exp(-rate * float64(parts[last].ones)), math.Exp(-rate * float64(parts[last].zeros))} // of what predicts 0, and 1
				for candidates := range 1 << last {
					own, sum := probability, [2]float64{}
					for i := range last {
						one := math.Exp(base*float64(min(parts[i].ones, 3))) / 1000
						x := candidates >> i & 1
						own *= map[int]float64{0: 1 - one, 1: one}[x]
						sum[x] += weight[x]
					}
					p += own * sum[1] / (sum[0] + sum[1])
				}
			})
			return p
		})
	}
	w.tell(t, 0.9)
}
