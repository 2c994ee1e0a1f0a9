package learn

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// rowResiduals returns the sums of residuals over the rows one by one, from their definition.
func rowResiduals(of family, d Listed[[]uint16]) []int64 {
	var sums []int64
	var first []int
	for _, points := range of.points {
		first, sums = append(first, len(sums)), append(sums, make([]int64, len(points))...)
	}
	constant := (of.cards[0].constant + of.cards[8].constant) / 2
	for _, e := range d {
		total := int64(0)
		for j, c := range e.X {
			total += of.points[j][c]
		}
		residual := -int64(math.Round(1024 / (1 + math.Exp(-float64(total)/stepUnits-constant))))
		if e.Label {
			residual += 1024
		}
		for j, c := range e.X {
			if len(of.points[j]) <= mostSmoothed {
				sums[first[j]+int(c)] += e.Count * residual
			}
		}
	}
	return sums
}

// randomEnd returns a family of cards at the end of a step.
func randomEnd(r *rand.Rand, sizes []int, constant float64) family {
	f := family{}
	for _, n := range sizes {
		points := make([]int64, n)
		for k := range points {
			points[k] = r.Int64N(2<<10+1) - 1<<10
		}
		f.points = append(f.points, points)
	}
	for _, c := range stepConstants {
		f.cards = append(f.cards, graded{linear{weights: make([]float64, len(sizes)), constant: constant + c}, 1. / stepUnits})
	}
	return f
}

// Sums of residuals equal those that are computed row by row, and a row changes them by at most the maximum from which
// the scale of the noise follows, and by nearly as much in some tables.
func TestNewtonResiduals(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for _, relation := range []privacy.Relation{privacy.AddRemove, privacy.ReplaceOne} {
		for _, euclidean := range []bool{false, true} {
			most := 0.0
			for i := range 60 {
				sizes := make([]int, 1+r.IntN(5))
				for j := range sizes {
					sizes[j] = 1 + r.IntN(4)
				}
				if i == 0 {
					sizes[0] = mostSmoothed + 1
				}
				end, d := randomEnd(r, sizes, 8*r.Float64()-4), randomRows(r, sizes, 20, 5)
				got, err := (&encodedTable{}).residuals(context.Background(), tableOf(t, sizes, d), end)
				if want := rowResiduals(end, d); err != nil || !slices.Equal(got, want) {
					t.Fatalf("points %v: %v, not %v, %v", end.points, got, want, err)
				}
				bound := float64(riskUnits * len(sizes))
				if euclidean {
					bound = riskUnits * math.Sqrt(float64(len(sizes)))
				}
				none := make([]int64, len(got))
				if relation.Replaces() {
					bound *= 2
				}
				for i := range d {
					d[i].Count = 1
					one := rowResiduals(end, d[i:i+1])
					most = max(most, change(one, none, euclidean)/bound)
					if relation.Replaces() {
						none = one
					}
				}
			}
			least := .99
			if euclidean && relation.Replaces() {
				least = .7 // the change is near the maximum only for records that differ in one of many attributes
			}
			if most > 1 || most < least {
				t.Errorf("%v: sums change by up to %.4f of the maximum", relation, most)
			}
		}
	}
}

// The sums over the greatest table fit into 64 bits.
func TestNewtonResidualsFit(t *testing.T) {
	end := randomEnd(rand.New(rand.NewPCG(1, 1)), []int{1}, 0)
	for _, points := range []int64{-1 << 10, 1 << 10} {
		end.points[0][0] = points
		d := Listed[[]uint16]{{X: []uint16{0}, Label: points < 0, Count: MostRows}}
		got, err := (&encodedTable{}).residuals(context.Background(), tableOf(t, []int{1}, d), end)
		if err != nil || got[0] != -points*MostRows {
			t.Errorf("points %d: %d, %v", points, got, err)
		}
	}
}

// The noise of residuals has the scale of its share.
func TestNewtonResidualNoise(t *testing.T) {
	shares := []string{"1", "1", "1", "1", "1", "3"}
	for r, times := range map[privacy.Relation]int64{privacy.AddRemove: 1, privacy.ReplaceOne: 2} {
		pure := newtonOf(t, []int{2, 9}, r, 10, shares...).residualNoise()
		if got, want := fmt.Sprint(pure), fmt.Sprint(noise.Laplace{Scale: big.NewRat(2*1024*times, 3)}); got != want {
			t.Errorf("%v: %s, not %s", r, got, want)
		}
		rho := newtonWithin(t, []int{2, 9}, rhoBudget(t, "99", r), 10, shares...).residualNoise()
		if got, want := fmt.Sprint(rho), fmt.Sprint(noise.Gaussian{Sigma2: big.NewRat(2*1024*1024*times*times, 6)}); got != want {
			t.Errorf("%v: %s, not %s", r, got, want)
		}
	}
}

// Corrections follow clear residuals of one category, and are 0 if residuals look like noise.
func TestNewtonCorrect(t *testing.T) {
	const rows = 1000
	table := &encodedTable{encoding: &encoding{odds: [][]float64{make([]float64, 4), make([]float64, 4)}, rows: [][]float64{{rows, rows, rows, rows}, {rows, rows, rows, rows}}}}
	noisy := make([]*big.Int, 8)
	for k := range noisy {
		noisy[k] = big.NewInt(int64([]int{0, 0, 0, 0, 120, -40, -40, -40}[k] * riskUnits))
	}
	for _, ordered := range []bool{false, true} {
		got := table.correct(noisy, riskUnits*riskUnits, .25, []bool{ordered, ordered})
		for k, l := range got[1] {
			want := []float64{.48, -.16, -.16, -.16}[k] // of a slope of 250 rows for one unit of log-odds
			if math.Abs(l-want) > .08 || got[0][k] != 0 {
				t.Errorf("category %d: corrections %v", k, got)
			}
		}
		for _, l := range table.correct(noisy, 1e6*riskUnits*riskUnits, .25, []bool{ordered, ordered})[1] {
			if math.Abs(l) > .02 {
				t.Errorf("a correction by %g from noise", l)
			}
		}
		for k := range noisy[:4] {
			noisy[k] = new(big.Int).Neg(new(big.Int).Lsh(big.NewInt(1), 400))
		}
		for _, l := range slices.Concat(table.correct(noisy, 1e-90, 1e-2, []bool{ordered, ordered})...) {
			if !(math.Abs(l) <= mostCorrection) {
				t.Errorf("a correction by %g", l)
			}
		}
		for k := range noisy[:4] {
			noisy[k] = new(big.Int)
		}
	}
}

// The last sample is from the end of the step with shares of the corrections, times factors. A card and its family
// state the same log-odds.
func TestNewtonCorrected(t *testing.T) {
	table := &encodedTable{units: [][]int{{-32, 64}}, scale: 100}
	families := table.along(linear{weights: []float64{1}, constant: .5}, linear{weights: []float64{.2}, constant: .1})
	of := table.corrected(families[len(families)-1], [][]float64{{.3, -.1}})
	if len(of) != len(stepShares) {
		t.Fatalf("%d families", len(of))
	}
	for i, f := range of {
		if len(f.cards) != len(stepFactors)*len(stepConstants) {
			t.Fatalf("%d cards", len(f.cards))
		}
		for at, c := range f.cards {
			share, factor := stepShares[i], stepFactors[at/len(stepConstants)]
			card := table.card(c.linear)
			for k, want := range []float64{factor * (share*.3 - 1.2), factor * (2.4 - share*.1)} {
				if own := c.slope * float64(f.points[0][k]); math.Abs(own-want) > .02 || math.Abs(float64(card.Points[0][k])-100*want) > .51 {
					t.Errorf("share %g, factor %g: log-odds %g, points %v, not %g", share, factor, own, card.Points, want)
				}
			}
		}
	}
}
