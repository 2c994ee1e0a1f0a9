package audit

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/pairs"
	"github.com/sibyl-dp/sibyl/internal/papers/statquery"
	"github.com/sibyl-dp/sibyl/internal/risk"
	"github.com/sibyl-dp/sibyl/internal/synth"
	"github.com/sibyl-dp/sibyl/internal/synth/loglinear"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// shaped returns the table of a shape. Under a relation of persons each record is a person
// with all rows alike.
func shaped(t testing.TB, s Shape, r privacy.Relation) *table.Table {
	t.Helper()
	var schema table.Schema
	values := func(n int) (names []string) {
		for v := range n {
			names = append(names, fmt.Sprint(v))
		}
		return names
	}
	if schema.Label = (&table.Label{Column: "label", Positive: []string{"1"}, Negative: []string{"0"}}); s.Labels > 2 {
		schema.Label = &table.Label{Column: "label", Values: values(s.Labels)}
	}
	for j, n := range s.Sizes {
		schema.Attributes = append(schema.Attributes, table.Attribute{Column: fmt.Sprint("x", j), Values: values(n)})
	}
	if most := r.Persons(); most > 0 {
		schema.Person = &table.Person{Column: "person", Most: most}
	}
	made, err := table.NewSchema(schema)
	if err != nil {
		t.Fatal(err)
	}
	b := made.Builder()
	for _, rows := range s.Rows {
		if err := b.AddOutcome(rows.X, rows.Label, rows.Count*made.Weight()); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.AddNull(s.Null * made.Weight()); err != nil {
		t.Fatal(err)
	}
	return b.Table()
}

// swept couples what is released of shapes and so many of their neighbours, and returns the largest
// loss in units of the promised ρ, and how many candidates a choice had at most. It fails where a
// loss is larger.
func swept(t *testing.T, shapes []Shape, r privacy.Relation, neighbours int, release func(Shape) (promise *big.Rat, of func(*table.Table) func(noise.Coins) (Release, error))) (worst float64, candidates int) {
	t.Helper()
	for _, s := range shapes {
		promise, of := release(s)
		own, all := of(shaped(t, s, r)), s.Neighbours(r)
		for i, other := range all[:min(neighbours, len(all))] {
			c, err := Couple(noise.Insecure(uint64(i)), own, of(shaped(t, other, r)))
			if err != nil {
				t.Errorf("%v: %s: %v", r, other.Name, err)
				continue
			}
			loss := c.Total()
			share, _ := new(big.Rat).Quo(loss, promise).Float64()
			worst, candidates = max(worst, share), max(candidates, c.Candidates)
			if loss.Cmp(promise) > 0 {
				t.Errorf("%v: %s: a loss of %.6f times the ρ that is promised", r, other.Name, share)
			}
		}
	}
	return worst, candidates
}

// numbers returns a release of nothing else.
func numbers(noisy []*big.Int, err error) (Release, error) { return Release{Numbers: noisy}, err }

func bigs(of ...int64) (numbers []*big.Int) {
	for _, n := range of {
		numbers = append(numbers, big.NewInt(n))
	}
	return numbers
}

// relations are those that sweeps run under.
var relations = []privacy.Relation{
	privacy.AddRemove, privacy.ReplaceOne, privacy.AddRemove.OfPersons(3), privacy.ReplaceOne.OfPersons(2),
}

// All that synthetic data releases, on tables of every shape: all counts, contrasts and choices
// lose at most ρ together, and nearly all of it somewhere. Some choices are among hundreds of
// candidates.
func TestSynthSweep(t *testing.T) {
	all, most := Shapes(1), 0
	for i, r := range relations {
		shapes := all
		if !heavy.On() { // each under one relation
			shapes = nil
			for j, s := range all {
				if j%len(relations) == i {
					shapes = append(shapes, s)
				}
			}
		}
		worst, candidates := swept(t, shapes, r, heavy.Pick(2, 8), func(s Shape) (*big.Rat, func(*table.Table) func(noise.Coins) (Release, error)) {
			var d synth.Domain
			for _, n := range append(s.Sizes[:len(s.Sizes):len(s.Sizes)], s.Labels) {
				d.Columns = append(d.Columns, synth.Column{Size: n, Ordered: n > 4})
			}
			d.Outcome = true
			plan, err := synth.NewPlan(d, synth.Budget{Relation: r, Rho: decimal(t, "60"), Rows: 10_000})
			if err != nil {
				t.Fatal(err)
			}
			plan.Rounds = min(plan.Rounds, heavy.Pick(2, 6))
			m := synth.NewMechanism(plan, synth.Fitting{Options: loglinear.Options{Particles: heavy.Pick(20, 100)}})
			return plan.Rho(), func(d *table.Table) func(noise.Coins) (Release, error) {
				return func(c noise.Coins) (out Release, err error) {
					made, err := m.Release(context.Background(), d, c)
					if err != nil {
						return out, err
					}
					for _, of := range made.Measured.Columns {
						out.Numbers = append(out.Numbers, bigs(of.Counts...)...)
					}
					for _, of := range made.Measured.Pairs {
						out.Numbers = append(out.Numbers, bigs(of.Values...)...)
					}
					for _, round := range made.Measured.Rounds {
						out.Choices++
						out.Rest += fmt.Sprint(round.Fewer, round.Measurement.Axes)
						out.Numbers = append(out.Numbers, bigs(round.Measurement.Counts...)...)
					}
					return out, nil
				}
			}
		})
		t.Logf("%v: at most %.4f of ρ, up to %d candidates", r, worst, candidates)
		if most = max(most, candidates); worst < 0.6 {
			t.Errorf("%v: at most %.4f of ρ is lost", r, worst)
		}
	}
	if most < 100 {
		t.Errorf("choices are of up to %d candidates", most)
	}
}

// The noisy sums of signs of tables of every shape lose at most ρ, and nearly all of it
// somewhere.
func TestPairsSweep(t *testing.T) {
	for _, r := range relations {
		worst, _ := swept(t, Shapes(2), r, 10, func(s Shape) (*big.Rat, func(*table.Table) func(noise.Coins) (Release, error)) {
			g, err := privacy.NewZCDP(r, big.NewRat(1, 2))
			if err != nil {
				t.Fatal(err)
			}
			m, err := pairs.New(s.Sizes, s.Labels, g)
			if err != nil {
				t.Fatal(err)
			}
			return g.Rho(), func(d *table.Table) func(noise.Coins) (Release, error) {
				return func(c noise.Coins) (out Release, err error) {
					out.Numbers, err = m.Release(context.Background(), d, c)
					return out, err
				}
			}
		})
		t.Logf("%v: at most %.4f of ρ", r, worst)
		if worst < 0.99 {
			t.Errorf("%v: at most %.4f of ρ is lost", r, worst)
		}
	}
}

// pure couples counts with Laplace noise, and choices, of shapes and their neighbours, and returns
// the largest loss in units of ε. It fails where one is larger.
func pure(t *testing.T, shapes []Shape, r privacy.Relation, epsilon *big.Rat, release func(Shape, *table.Table, noise.Coins) (Release, error)) (worst float64) {
	t.Helper()
	for _, s := range shapes {
		of := func(s Shape) func(noise.Coins) (Release, error) {
			d := shaped(t, s, r)
			return func(c noise.Coins) (Release, error) { return release(s, d, c) }
		}
		for i, other := range s.Neighbours(r) {
			c, err := Couple(noise.Insecure(uint64(i)), of(s), of(other))
			if err != nil {
				t.Errorf("%v: %s: %v", r, other.Name, err)
				continue
			}
			loss := c.Pure()
			share, _ := new(big.Rat).Quo(loss, epsilon).Float64()
			if worst = max(worst, share); loss.Cmp(epsilon) > 0 || c.Rho.Sign() != 0 {
				t.Errorf("%v: %s: a loss of %.6f times the ε that is promised", r, other.Name, share)
			}
		}
	}
	return worst
}

// The counts of grades and labels, of many grades and labels and on tables of every shape, lose
// at most ε, and all of it somewhere: rows, persons, and those that are null.
func TestRiskSweep(t *testing.T) {
	epsilon := decimal(t, "0.7")
	for _, r := range relations {
		worst := pure(t, Shapes(3), r, epsilon.Rat(), func(s Shape, d *table.Table, c noise.Coins) (Release, error) {
			last := len(s.Sizes) - 1
			var predicted []int // by the values of the last column
			for v := range s.Sizes[last] {
				predicted = append(predicted, v%s.Labels)
			}
			scale, err := risk.Leaves(s.Labels, predicted)
			if err != nil {
				return Release{}, err
			}
			m, err := learn.NewHistogram(scale.Cells(), epsilon, r)
			if err != nil {
				return Release{}, err
			}
			return numbers(m.Release(context.Background(), scale.Count(d, func(x table.Record) int { return 1 + int(x[last]) }), c))
		})
		if worst < 1 {
			t.Errorf("%v: at most %.4f of ε is lost", r, worst)
		}
	}
}

// Statistics of several cells a row, on tables of every shape, lose at most their price, in ε and
// in ρ, and all of it somewhere.
func TestStatisticalSweep(t *testing.T) {
	price, shapes := big.NewRat(3, 5), twoLabels(Shapes(3)) // examples have two labels
	for _, r := range relations {
		ask := func(budget privacy.Guarantee) func(Shape, *table.Table, noise.Coins) (Release, error) {
			return func(s Shape, d *table.Table, c noise.Coins) (Release, error) {
				m, err := statquery.NewStatistical(budget, learn.Examples(d), c)
				if err != nil {
					return Release{}, err
				}
				cells := 0
				for _, n := range s.Sizes {
					cells += n
				}
				return numbers(m.Ask(context.Background(), statquery.Statistic[table.Record]{Cells: 2 * cells, Most: len(s.Sizes), In: func(x table.Record, label bool) (in []int) {
					from := 0
					for j, v := range x {
						at := 2 * (from + int(v))
						if label {
							at++
						}
						in, from = append(in, at), from+s.Sizes[j]
					}
					return in
				}}, price))
			}
		}
		epsilon, err := privacy.NewPure(r, decimal(t, "0.6"))
		if err != nil {
			t.Fatal(err)
		}
		if worst := pure(t, shapes, r, price, ask(epsilon)); worst < 1 {
			t.Errorf("%v: at most %.4f of ε is lost", r, worst)
		}
		rho, err := privacy.NewZCDP(r, price)
		if err != nil {
			t.Fatal(err)
		}
		release := ask(rho)
		worst, _ := swept(t, shapes, r, 10, func(s Shape) (*big.Rat, func(*table.Table) func(noise.Coins) (Release, error)) {
			return price, func(d *table.Table) func(noise.Coins) (Release, error) {
				return func(c noise.Coins) (Release, error) { return release(s, d, c) }
			}
		})
		if worst < 1 {
			t.Errorf("%v: at most %.4f of ρ is lost", r, worst)
		}
	}
}

// The exponential mechanism keeps its ε, and attains it, on tables that are large, skewed, of one
// label, or empty, under both relations, for rows and persons, and with errors that cost unlike.
func TestExponentialSweep(t *testing.T) {
	c := line(t)
	skewed := learn.Loss{FalsePositive: 1, FalseNegative: 5}
	for i, r := range heavy.Pick(relations[:2], relations) {
		losses := []learn.Loss{learn.ZeroOne, skewed}
		for _, l := range heavy.Pick(losses[i%2:i%2+1], losses) { // quick: one under each relation
			m, err := learn.NewExponential(c, decimal(t, "1.3"), r, l)
			if err != nil {
				t.Fatal(err)
			}
			one := learn.Units(r)
			laws := map[string]Law[string]{}
			law := func(counts []int64) Law[string] {
				key := fmt.Sprint(counts)
				if _, known := laws[key]; !known {
					units := make([]int64, len(counts))
					for i, n := range counts {
						units[i] = n * one
					}
					laws[key] = LawOf(t, func(coins noise.Coins) string {
						h, err := m.Release(context.Background(), c.table(units), coins)
						if err != nil {
							t.Fatal(err)
						}
						return name(h)
					}, InFull(1e-6, 1e-10))
				}
				return laws[key]
			}
			worst := 0.0
			for _, counts := range heavy.Pick([][]int64{{1, 0, 9, 0}, {15, 90, 0, 3}}, [][]int64{{0, 0, 0, 0}, {1, 0, 9, 0}, {150, 149, 0, 3}, {0, 200, 0, 200}, {40, 40, 41, 40}}) {
				for more := range counts {
					for fewer := range counts {
						other := slices.Clone(counts)
						if r.Replaces() {
							if counts[fewer] == 0 || fewer == more {
								continue
							}
							other[fewer]--
						} else if fewer > 0 {
							continue
						}
						other[more]++
						got := Compare(law(counts), law(other))
						if got.Lower > 1.3*(1+1e-9) {
							t.Errorf("%v, %v: %v and %v: a loss of %g", r, l, counts, other, got.Lower)
						}
						worst = max(worst, got.Lower)
					}
				}
			}
			if worst < 0.4*1.3 {
				t.Errorf("%v, %v: at most %g is lost", r, l, worst)
			}
		}
	}
}
