package synth

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/audit"
	"github.com/sibyl-dp/sibyl/internal/noisetest"
	"github.com/sibyl-dp/sibyl/internal/synth/cells"
	"github.com/sibyl-dp/sibyl/internal/synth/loglinear"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// opened opens a table of two binary columns with a budget of ρ = 1.
func opened(t testing.TB, r privacy.Relation, rows []row, coins noise.Coins) *session {
	t.Helper()
	return &session{tabulated(t, []int{2, 2}, rows, 1), Domain{}, r, privacy.ZCDP{}, big.NewRat(1, 1), coins}
}

// apart are poolings that keep both values of two binary columns.
var apart = []*cells.Pooling{{Cells: []uint16{0, 1}, Size: 2}, {Cells: []uint16{0, 1}, Size: 2}}

// listed holds conjunctions with the numbers of rows that a model expects.
var listed = []loglinear.Conjunction{
	{Terms: []loglinear.Term{{Column: 0, Value: 1}}, Expected: 2.4},
	{Terms: []loglinear.Term{{Column: 0, Value: 0}, {Column: 1, Value: 1}}, Expected: 0.6},
	{Terms: []loglinear.Term{{Column: 1, Value: 0}}, Expected: math.NaN()},
}

// A sample follows the exponential mechanism. The score is the difference, or its negative, of the count and the
// rounded expectation of a conjunction. Adding or replacing a row gives a privacy loss with a range of
// exactly ε. With the rate of add-remove, the range under replace-one would be 2ε.
func TestDrawLaw(t *testing.T) {
	epsilon := decimal(t, "0.5")
	tables := []struct {
		rows  []row
		costs []float64 // the model expects 2, 1 and 0 rows
	}{
		{[]row{{1, 0}, {1, 1}, {1, 1}}, []float64{-1, 1, -1}},
		{[]row{{1, 0}, {1, 1}, {1, 1}, {0, 1}}, []float64{-1, 0, -1}}, // a row added
		{[]row{{1, 0}, {1, 1}, {0, 1}}, []float64{0, 0, -1}},          // a row replaced
	}
	for _, r := range []privacy.Relation{privacy.AddRemove, privacy.ReplaceOne} {
		lambda := 0.5
		if r == privacy.ReplaceOne {
			lambda = 0.25
		}
		for _, fewer := range []bool{false, true} {
			var laws []audit.Law[int]
			for _, of := range tables {
				law, err := audit.Enumerate(func(c noise.Coins) int {
					i, err := opened(t, r, of.rows, c).draw(context.Background(), listed, apart, fewer, epsilon)
					if err != nil {
						t.Fatal(err)
					}
					return i
				}, audit.Options{Recheck: heavy.Pick(30, 2000)})
				if err != nil {
					t.Fatal(err)
				}
				laws = append(laws, law)
				sum, weights := 0.0, make([]float64, len(listed))
				for i, cost := range of.costs {
					if fewer {
						cost = -cost
					}
					weights[i] = math.Exp(-lambda * cost)
					sum += weights[i]
				}
				for i, w := range weights {
					if lo, hi := law.Bounds(i); w/sum < lo-1e-9 || w/sum > hi+1e-9 {
						t.Errorf("%v, fewer %v: conjunction %d has a probability of %g to %g, not %g", r, fewer, i, lo, hi, w/sum)
					}
				}
			}
			loss := func(p, q audit.Law[int]) float64 {
				least, most := math.Inf(1), math.Inf(-1)
				for i := range listed {
					a, _ := p.Bounds(i)
					b, _ := q.Bounds(i)
					least, most = min(least, math.Log(a/b)), max(most, math.Log(a/b))
				}
				return most - least
			}
			neighbour := laws[1]
			if r == privacy.ReplaceOne {
				neighbour = laws[2]
			}
			if got := loss(laws[0], neighbour); math.Abs(got-0.5) > 1e-6 {
				t.Errorf("%v, fewer %v: a range of %g", r, fewer, got)
			}
			if got := loss(laws[0], laws[2]); r == privacy.AddRemove && math.Abs(got-1) > 1e-6 {
				t.Errorf("the rate of add-remove under replace: a range of %g", got)
			}
		}
	}
}

// Counting and sampling use exactly the randomness that the proof describes.
func TestTranscripts(t *testing.T) {
	record := noisetest.Record(noise.Insecure(1))
	ctx := context.Background()
	rows := []row{{1, 0}, {1, 1}, {1, 1}}
	many := slices.Concat(slices.Repeat(rows, 10), slices.Repeat([]row{{0, 0}, {0, 1}}, 6))
	pair := [][]table.Axis{{{Column: 0, Size: 2}, {Column: 1, Size: 2}}}
	for _, r := range []privacy.Relation{privacy.AddRemove, privacy.ReplaceOne} {
		columns, moves := "σ² = c/(2·4/5), two draws each", 2*4*2
		if r == privacy.AddRemove {
			columns, moves = "contrasts with 4σ², two draws each, and the number of rows with σ² = c/(2·4/5), one draw", 2*2
		}
		record.Note("%v: a plan of ρ = 4 for two columns, 8/20 for both: %s; then 12/5 for the pair, four contrasts since no value is rare, which a row moves by %d, squared: four draws of that/(2·12/5)", r, columns, moves)
		p := mustPlan(t, Domain{Columns: []Column{{Size: 2}, {Size: 2}}, Outcome: true}, Budget{Relation: r, Rho: decimal(t, "4")})
		made, err := NewMechanism(p, Fitting{}).Release(ctx, tabulated(t, []int{2, 2}, many, 1), record)
		if err != nil {
			t.Fatal(err)
		}
		text, err := made.Measured.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		record.Note("released %s\n", text)

		record.Note("%v: one of three conjunctions with a range of 1/2, costs -1, 1, -1 with λ = 1/(2c); then its counts with σ² = 3", r)
		s := opened(t, r, rows, record)
		at, err := s.draw(ctx, listed, apart, false, decimal(t, "0.5"))
		if err != nil {
			t.Fatal(err)
		}
		measured, err := s.measure(ctx, pair, []noise.Gaussian{{Sigma2: big.NewRat(3, 1)}})
		if err != nil {
			t.Fatal(err)
		}
		record.Note("released %d and %d, %s left\n", at, measured[0].Counts, s.left.RatString())
	}
	noisetest.Golden(t, "synth.txt", record.String())
}

// Noisy counts are limited to ±2^53. Exact counts are first limited to a range that noise cannot
// leave.
func TestNoisy(t *testing.T) {
	law := noise.Gaussian{Sigma2: big.NewRat(1, 1)}
	big1 := new(big.Int).Lsh(big.NewInt(1), 80)
	for _, c := range []struct {
		n    int64
		k    *big.Int
		want int64
	}{
		{5, big.NewInt(-9), -4},
		{math.MaxInt64, big.NewInt(3), MostCount},
		{math.MaxInt64, big.NewInt(math.MaxInt64), MostCount},
		{0, big.NewInt(math.MinInt64), -MostCount},
		{7, big1, MostCount},
		{7, new(big.Int).Neg(big1), -MostCount},
		{1 << 52, big.NewInt(1 << 52), MostCount},
		{1 << 54, big.NewInt(-1 << 54), 0},
	} {
		s := &session{coins: drawn{k: c.k}}
		if got := s.noisy(c.n, law); got != c.want {
			t.Errorf("%d with noise %v is %d, not %d", c.n, c.k, got, c.want)
		}
	}
}

// drawn are coins that always return the same number.
type drawn struct {
	noise.Coins
	k *big.Int
}

func (d drawn) Draw(noise.Sampler) *big.Int { return new(big.Int).Set(d.k) }

// Exceeding the budget of a session is a defect, whatever the table.
func TestSessionPays(t *testing.T) {
	axes := []table.Axis{{Column: 0, Size: 2}, {Column: 1, Size: 2}}
	ctx := context.Background()
	queries := func(counts, draws, contrasts int) (failed any) {
		defer func() { failed = recover() }()
		s := opened(t, privacy.ReplaceOne, nil, noise.Insecure(1))
		for range counts { // a quarter of the budget each
			if _, err := s.measure(ctx, [][]table.Axis{axes[:1]}, []noise.Gaussian{{Sigma2: big.NewRat(4, 1)}}); err != nil {
				t.Fatal(err)
			}
		}
		for range draws { // a half
			if _, err := s.draw(ctx, listed, apart, false, decimal(t, "2")); err != nil {
				t.Fatal(err)
			}
		}
		for range contrasts { // an eighth
			if _, err := s.contrast(ctx, [][]table.Axis{axes}, []noise.Gaussian{{Sigma2: big.NewRat(4, 1)}}); err != nil {
				t.Fatal(err)
			}
		}
		return nil
	}
	for _, ok := range [][3]int{{1, 1, 2}, {4, 0, 0}, {0, 2, 0}, {0, 0, 8}} {
		if p := queries(ok[0], ok[1], ok[2]); p != nil {
			t.Errorf("%v: %v", ok, p)
		}
	}
	for _, much := range [][3]int{{1, 1, 3}, {5, 0, 0}, {0, 3, 0}, {0, 0, 9}} {
		if p := queries(much[0], much[1], much[2]); fmt.Sprint(p) != "synth: more is asked of a table than its budget has" {
			t.Errorf("%v: %v", much, p)
		}
	}
}
