package loglinear

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A pair of r × c values has r·c degrees of freedom. Its estimate by q singular vectors has
// q·(r + c - q). The variance of the target is scaled by the ratio of the two. It is unchanged if all
// singular vectors are kept.
func TestVarianceOfPairs(t *testing.T) {
	const total, sigma = 100_000, 50
	random := rand.New(rand.NewPCG(23, 1))
	for _, sizes := range [][]int{{2, 2}, {3, 3}, {4, 3}, {5, 6}} {
		r, c := float64(sizes[0]-1), float64(sizes[1]-1)
		for kept, world := range map[bool]func(i, j int) float64{
			true:  func(i, j int) float64 { return map[bool]float64{true: 9, false: 1}[i == j] }, // all singular vectors
			false: func(int, int) float64 { return 1 },
		} {
			m := Marginal{Axes: axesOf(sizes, 0, 1), Counts: make([]float64, sizes[0]*sizes[1]), Variance: sigma * sigma}
			sum := 0.0
			for k := range m.Counts {
				m.Counts[k] = world(k/sizes[1], k%sizes[1])
				sum += m.Counts[k]
			}
			for k := range m.Counts {
				m.Counts[k] = m.Counts[k]*total/sum + sigma*random.NormFloat64()
			}
			f, err := New(Problem{Sizes: sizes, Total: total, Marginals: []Marginal{m}}, Options{Particles: 100, Seed: 1, Threads: 1})
			if err != nil {
				t.Fatal(err)
			}
			want := 1.0
			if q := .5; !kept {
				want = q * (r + c - q) / (r * c)
			}
			if got := f.pairs[0].variance / m.noise(); math.Abs(got-want) > 1e-9 {
				t.Errorf("%v, all directions kept %v: %v of the noise, not %v", sizes, kept, got, want)
			}
		}
	}
}

// Every factor, column and triple is balanced against its expected counts. The weight of a cell
// decreases with its expected number of rows.
func TestBalances(t *testing.T) {
	random := rand.New(rand.NewPCG(29, 1))
	sizes := []int{3, 2, 4, 3}
	w := chain(sizes, 2000, .5, random)
	p := Problem{Sizes: sizes, Total: 2000}
	for b := range sizes {
		for a := range b {
			p.Marginals = append(p.Marginals, w.measure(axesOf(sizes, a, b), 5, random))
		}
	}
	f, err := New(p, Options{Particles: 2000, Seed: 1, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Rows(context.Background(), 100); err != nil {
		t.Fatal(err)
	}
	r := f.rows.resample(500, .5) // a quarter of the total
	balanced := map[int]int{}     // the number of columns
	for _, b := range f.balances(r) {
		balanced[len(b.axes)]++
		weight := map[int]float64{1: single, 2: 1, 3: ofTriples / float64(len(sizes)-2)}[len(b.axes)]
		counts := make([]float64, len(b.cells))
		f.index(b.factor).count(r, counts)
		for k, x := range b.cells {
			expected := b.mean[k] / 4
			if math.Abs(float64(x.more)-(counts[k]-expected)) > 1e-3 || math.Abs(float64(x.weight)*(expected+spread)/weight-1) > 1e-5 {
				t.Errorf("%v, cell %d: %v rows more with the weight %v, where %v are there and %v expected", b.axes, k, x.more, x.weight, counts[k], expected)
			}
		}
	}
	if balanced[1] != len(f.ones) || len(f.ones) != len(sizes) || balanced[2] != 6 || balanced[3] != len(f.triples.of) || balanced[3] == 0 {
		t.Errorf("balanced are so many of columns, pairs and triples: %v", balanced)
	}
}

// If there are no rows, resampling returns n rows with the first value in every column.
func TestResampleNothing(t *testing.T) {
	for n := range 3 {
		r := newRows(2, 0).resample(n, .5)
		if r.n != n || len(r.column) != 2 || len(r.column[1]) != n || len(r.weight) != n {
			t.Errorf("%d of no rows: %+v", n, r)
		}
	}
}

// The cost of adding a marginal is the number of rounds of its fit, over all particles.
func TestCostOfRounds(t *testing.T) {
	sizes := []int{10, 10, 10, 10}
	const sweep = 40*4 + 6
	for _, cells := range []float64{400, 60_000, 400_000, 1_600_000, 4_000_000} {
		particles := Particles(cells, 50_000)
		one, _ := Cost(sizes, cells, 50_000, 50_000, 1)
		two, _ := Cost(sizes, cells, 50_000, 50_000, 2)
		f := &Fit{rows: &rows{n: int(particles)}, pairs: []*factor{{axes: []table.Axis{{}, {}}, theta: make([]float64, int(cells))}}}
		rate := laterRate
		rounds := float64(f.slower(&rate, addedRounds))
		if got := (two - one) / (particles * sweep); got < rounds || got >= rounds+1 {
			t.Errorf("%v cells: %v rounds, and a fit takes %v", cells, got, rounds)
		}
	}
}
