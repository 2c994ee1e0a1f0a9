package audit

import (
	"context"
	"fmt"
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/papers/statquery"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// twoLabels returns the shapes with two labels: every label above 1 becomes 1.
func twoLabels(shapes []Shape) (two []Shape) {
	for _, s := range shapes {
		rows := s.Rows
		s.Labels, s.Rows = 2, nil
		for _, of := range rows {
			s.add(of.X, min(of.Label, 1), of.Count)
		}
		two = append(two, s)
	}
	return two
}

// recorder is a source of coins that records the noise.
type recorder struct {
	noise.Coins
	noise []*big.Int
}

func (r *recorder) Draw(law noise.Sampler) *big.Int {
	value := r.Coins.Draw(law)
	r.noise = append(r.noise, new(big.Int).Set(value))
	return value
}

// countsOf returns the counts of each category with either label, in the order of the attributes.
func countsOf(d *table.Table) []int64 {
	sizes := d.Sizes()
	first, cells := make([]int, len(sizes)), 0
	for j, n := range sizes {
		first[j], cells = cells, cells+2*n
	}
	counts := make([]int64, cells)
	for i := range d.Len() {
		for j, code := range d.Record(i, nil) {
			counts[first[j]+2*int(code)+d.Outcome(i)] += d.Count(i)
		}
	}
	return counts
}

// ofCategories runs a mechanism that releases a function of one noisy count for each of the
// categories. The numbers of the release are these noisy counts, with counts that the audit takes from
// the records itself; its text is what the mechanism releases. So Couple finds a mechanism whose release
// is a function of anything else.
func ofCategories(d *table.Table, c noise.Coins, release func(noise.Coins) (any, error)) (out Release, err error) {
	return ofCounts(countsOf(d), c, release)
}

// ofCounts is ofCategories for one noisy count for each of these.
func ofCounts(counts []int64, c noise.Coins, release func(noise.Coins) (any, error)) (out Release, err error) {
	recording := &recorder{Coins: c}
	released, err := release(recording)
	if err != nil {
		return out, err
	}
	out.Rest, out.Numbers = fmt.Sprint(released), bigs(counts...)
	for i, k := range recording.noise[:min(len(recording.noise), len(counts))] {
		out.Numbers[i].Add(out.Numbers[i], k)
	}
	return out, nil
}

// The points of naive Bayes on tables of every shape, of rows and of persons, are a function of
// noisy counts that lose at most ε, or ρ, and all of it somewhere.
func TestNaiveBayesSweep(t *testing.T) {
	rho, epsilon, shapes := big.NewRat(1, 20), decimal(t, "0.3"), twoLabels(Shapes(4))
	for _, r := range relations {
		release := func(g privacy.Guarantee) func(Shape, *table.Table, noise.Coins) (Release, error) {
			return func(s Shape, d *table.Table, c noise.Coins) (Release, error) {
				m, err := learn.NewNaiveBayes(s.Sizes, g, 1000)
				if err != nil {
					return Release{}, err
				}
				return ofCategories(d, c, func(c noise.Coins) (any, error) { return m.Release(context.Background(), d, c) })
			}
		}
		g, err := privacy.NewPure(r, epsilon)
		if err != nil {
			t.Fatal(err)
		}
		if worst := pure(t, shapes, r, epsilon.Rat(), release(g)); worst < 1 {
			t.Errorf("%v: at most %.4f of ε is lost", r, worst)
		}
		z, err := privacy.NewZCDP(r, rho)
		if err != nil {
			t.Fatal(err)
		}
		of := release(z)
		worst, _ := swept(t, shapes, r, 10, func(s Shape) (*big.Rat, func(*table.Table) func(noise.Coins) (Release, error)) {
			return rho, func(d *table.Table) func(noise.Coins) (Release, error) {
				return func(c noise.Coins) (Release, error) { return of(s, d, c) }
			}
		})
		if worst < 1 {
			t.Errorf("%v: at most %.4f of ρ is lost", r, worst)
		}
	}
}

// On tables of every shape, the card that WeightedNaiveBayes releases is a function of noisy counts,
// whose privacy loss is at most their part of ε, and of one choice, whose loss is at most the rest.
// On some table both together lose nearly all of ε.
func TestWeightedSweep(t *testing.T) {
	epsilon, counts := decimal(t, "2"), decimal(t, "0.5")
	for _, r := range relations[:2] { // it is for rows
		worst := pure(t, twoLabels(Shapes(7)), r, epsilon.Rat(), func(s Shape, d *table.Table, c noise.Coins) (Release, error) {
			m, err := learn.NewWeightedNaiveBayes(s.Sizes, epsilon, counts, r, 6, min(len(s.Sizes), heavy.Pick(3, 6)))
			if err != nil {
				return Release{}, err
			}
			out, err := ofCategories(d, c, func(c noise.Coins) (any, error) { return m.Release(context.Background(), d, c) })
			out.Choices = 1
			return out, err
		})
		t.Logf("%v: at most %.4f of ε", r, worst)
		if worst < 0.95 {
			t.Errorf("%v: at most %.4f of ε is lost", r, worst)
		}
	}
}

// What elimination accepts on tables of every shape is a function of noisy counts of the categories of
// rows of label 1, each accepted where its count is above the public threshold. They lose at most ε, or
// ρ, and all of it somewhere.
func TestEliminationSweep(t *testing.T) {
	rho, epsilon, shapes := big.NewRat(1, 20), decimal(t, "0.9"), twoLabels(Shapes(9))
	for _, r := range relations[:2] { // it is for rows
		release := func(g privacy.Guarantee) func(Shape, *table.Table, noise.Coins) (Release, error) {
			return func(s Shape, d *table.Table, c noise.Coins) (Release, error) {
				m, err := statquery.NewElimination(s.Sizes, g)
				if err != nil {
					return Release{}, err
				}
				var positive []int64
				for i, n := range countsOf(d) {
					if i%2 == 1 {
						positive = append(positive, n)
					}
				}
				var accepted statquery.Accepted
				out, err := ofCounts(positive, c, func(c noise.Coins) (any, error) {
					accepted, err = m.Release(context.Background(), learn.Examples(d), c)
					return accepted, err
				})
				at := 0
				for j, of := range accepted {
					for category, is := range of {
						if noisy := out.Numbers[at]; is != (noisy.Cmp(big.NewInt(int64(m.Threshold()))) > 0) {
							t.Errorf("%s: category %d of column %d, of which %v rows are counted: %v", s.Name, category, j+1, noisy, is)
						}
						at++
					}
				}
				return out, err
			}
		}
		g, err := privacy.NewPure(r, epsilon)
		if err != nil {
			t.Fatal(err)
		}
		if worst := pure(t, shapes, r, epsilon.Rat(), release(g)); worst < 1 {
			t.Errorf("%v: at most %.4f of ε is lost", r, worst)
		}
		z, err := privacy.NewZCDP(r, rho)
		if err != nil {
			t.Fatal(err)
		}
		of := release(z)
		worst, _ := swept(t, shapes, r, 10, func(s Shape) (*big.Rat, func(*table.Table) func(noise.Coins) (Release, error)) {
			return rho, func(d *table.Table) func(noise.Coins) (Release, error) {
				return func(c noise.Coins) (Release, error) { return of(s, d, c) }
			}
		})
		if worst < 1 {
			t.Errorf("%v: at most %.4f of ρ is lost", r, worst)
		}
	}
}
