package loglinear

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// classes returns rows of latent classes. Each class has its own values in all columns.
func classes(sizes []int, n, many int, random *rand.Rand) world {
	w := world{sizes: sizes, rows: make([][]uint16, len(sizes))}
	likely := make([][]int, many)
	for z := range likely {
		for _, k := range sizes {
			likely[z] = append(likely[z], random.IntN(k))
		}
	}
	for range n {
		z := random.IntN(many)
		for c, k := range sizes {
			v := random.IntN(k)
			if random.Float64() < .5 {
				v = likely[z][c]
			}
			w.rows[c] = append(w.rows[c], uint16(v))
		}
	}
	return w
}

// restsOf returns the residuals of all pairs with noise, and without.
func restsOf(w world, sigma float64, random *rand.Rand) (noisy []*residuals, truth [][]float64) {
	for b := range w.sizes {
		for a := range b {
			axes := axesOf(w.sizes, a, b)
			exact := w.measure(axes, 0, random).Counts
			centre(exact, axes[0].Size, axes[1].Size)
			seen := make([]float64, len(exact))
			for k, x := range exact {
				seen[k] = x + sigma*random.NormFloat64()
			}
			centre(seen, axes[0].Size, axes[1].Size)
			noisy, truth = append(noisy, &residuals{axes: axes, values: seen, variance: sigma * sigma}), append(truth, exact)
		}
	}
	return noisy, truth
}

// Joint estimation finds structure that many columns share and that each pair alone shows only
// weakly. If each column depends on only one other, joint estimation is not worse than separate
// estimation.
func TestTogether(t *testing.T) {
	random := rand.New(rand.NewPCG(19, 1))
	sizes := []int{5, 4, 6, 3, 5, 4, 2, 6, 5, 4, 3, 5}
	for name, c := range map[string]struct {
		w    world
		most float64 // relative to the error of separate estimation
	}{
		"classes": {classes(sizes, 10_000, 3, random), .5},
		"chain":   {chain(sizes, 10_000, .5, random), 1},
		"nothing": {chain(sizes, 10_000, 0, random), 2},
	} {
		pairs, truth := restsOf(c.w, 80, random)
		off := func(estimates [][]float64) (sum float64) {
			for n, x := range estimates {
				for k, y := range x {
					sum += (y - truth[n][k]) * (y - truth[n][k])
				}
			}
			return sum
		}
		ctx := context.Background()
		alone, ranks := make([][]float64, len(pairs)), make([]int, len(pairs))
		for n, p := range pairs {
			alone[n], ranks[n] = p.shrink(p.values)
		}
		got, err := shrinkJointly(ctx, 2, sizes, pairs, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		for n := range pairs {
			if got.ranks[n] != ranks[n] {
				t.Fatalf("%s: pair %d has %d directions by itself, not %d", name, n, got.ranks[n], ranks[n])
			}
		}
		if a, b := off(alone), off(got.values); !(b <= c.most*a) {
			t.Errorf("%s: a sum of squares of %.0f together, of %.0f each by itself", name, b, a)
		}
	}
	if x, err := shrinkJointly(context.Background(), 1, sizes, nil, random); err != nil || len(x.values) != 0 {
		t.Errorf("of no pairs: %v, %v", x, err)
	}
	ended, end := context.WithCancel(context.Background())
	end()
	pairs, _ := restsOf(chain(sizes, 100, 0, random), 1, random)
	if _, err := shrinkJointly(ended, 1, sizes, pairs, random); err == nil {
		t.Error("it goes on when the context has ended")
	}
}

// The product of the block matrix and a vector equals that of an explicit matrix over all values. The blocks
// of two columns have the residuals of cells, divided evenly among their values. The diagonal blocks are those
// of the eigenvectors found so far.
func TestStack(t *testing.T) {
	random := rand.New(rand.NewPCG(20, 1))
	sizes := []int{3, 4, 2}
	axes := axesOf(sizes, 0, 1, 2)
	axes[1].Cells, axes[1].Size = []uint16{0, 1, 0, 1}, 2
	numbers := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = random.NormFloat64()
		}
		return x
	}
	var pairs []*residuals
	for _, p := range [][2]int{{0, 1}, {0, 2}, {1, 2}} {
		a, b := axes[p[0]], axes[p[1]]
		pairs = append(pairs, &residuals{axes: axes[:0:0], values: numbers(a.Size * b.Size), variance: 1})
		pairs[len(pairs)-1].axes = append(pairs[len(pairs)-1].axes, a, b)
	}
	s := newBlockMatrix(sizes, pairs)
	s.found, s.values = [][]float64{numbers(9)}, []float64{3}
	dense := make([][]float64, 9)
	for i := range dense {
		dense[i] = make([]float64, 9)
		for j := range dense[i] {
			for c := range sizes {
				if from, to := s.offset[c], s.offset[c+1]; i >= from && i < to && j >= from && j < to {
					dense[i][j] = 3 * s.found[0][i] * s.found[0][j]
				}
			}
		}
	}
	for _, p := range pairs {
		a, b := p.axes[0], p.axes[1]
		for v := range sizes[a.Column] {
			for u := range sizes[b.Column] {
				many := float64(sizes[a.Column]/a.Size) * float64(sizes[b.Column]/b.Size)
				x := p.values[a.Cell(v)*b.Size+b.Cell(u)] / many
				i, j := s.offset[a.Column]+v, s.offset[b.Column]+u
				dense[i][j], dense[j][i] = x, x
			}
		}
	}
	x, got := numbers(9), make([]float64, 9)
	s.times(x, got)
	for i, row := range dense {
		if want := dot(row, x); math.Abs(got[i]-want) > 1e-9 {
			t.Errorf("entry %d of the product is %g, not %g", i, got[i], want)
		}
	}
}

// dense is an explicit matrix as a linear operator.
type dense [][]float64

func (d dense) size() int { return len(d) }
func (d dense) times(x, out []float64) {
	for i, row := range d {
		out[i] += dot(row, x)
	}
}

// leading recovers the leading eigenvectors of a matrix with known ones, with eigenvalues of either
// sign. If it returns all vectors, these are the eigenvectors.
func TestLeading(t *testing.T) {
	random := rand.New(rand.NewPCG(21, 1))
	const n = 12
	basis := scattered(n, n, random)
	eigenvalues := []float64{9, -7, 5, .5, -.4, .3, .2, .1, 0, 0, 0, 0}
	m := make(dense, n)
	for i := range m {
		m[i] = make([]float64, n)
		for k, u := range basis {
			plus(m[i], u, eigenvalues[k]*u[i])
		}
	}
	for _, many := range []int{4, n} {
		vectors := scattered(n, many, random)
		values, err := leading(context.Background(), 2, m, vectors, 20)
		if err != nil {
			t.Fatal(err)
		}
		for k, u := range basis[:3] {
			best := 0
			for l := range values {
				if math.Abs(values[l]-eigenvalues[k]) < math.Abs(values[best]-eigenvalues[k]) {
					best = l
				}
			}
			if math.Abs(values[best]-eigenvalues[k]) > 1e-6 || math.Abs(math.Abs(dot(vectors[best], u))-1) > 1e-6 {
				t.Errorf("%d vectors: the nearest value to %g is %g", many, eigenvalues[k], values[best])
			}
		}
	}
}

// Factors of pairs with significant residuals are never dropped. Other factors are dropped if their
// estimates hardly differ from independence, and the weakest ones if all factors have more cells than the
// limit allows.
func TestHush(t *testing.T) {
	const cells = manyParticles / 4
	energies := []float64{1, 50, 3, 40, 30, 20, 2, 1e-9}
	ranks := []int{1, 0, 0, 0, 0, 0, 0, 0}
	factors, pairs, estimates := make([]*factor, len(ranks)), make([]*residuals, len(ranks)), make([][]float64, len(ranks))
	for n, e := range energies {
		factors[n], pairs[n] = new(factor), &residuals{variance: 2}
		estimates[n] = make([]float64, cells)
		estimates[n][7] = math.Sqrt(2 * e)
	}
	dropWeak(factors, pairs, estimates, ranks, 100)
	for n, want := range []bool{false, false, true, false, false, false, true, true} {
		if factors[n].dropped != want {
			t.Errorf("of pair %d: dropped is %v", n, factors[n].dropped)
		}
	}
	for n := range estimates {
		estimates[n] = estimates[n][:8]
	}
	dropWeak(factors, pairs, estimates, ranks, 100)
	for n, want := range []bool{false, false, false, false, false, false, false, true} {
		if factors[n].dropped != want {
			t.Errorf("of few cells, pair %d: dropped is %v", n, factors[n].dropped)
		}
	}

	// A pair of few cells needs time too.
	many := manyParticles/pairCells + 100
	factors, pairs, estimates, ranks = nil, nil, nil, make([]int, many)
	for range many {
		factors, pairs, estimates = append(factors, new(factor)), append(pairs, &residuals{variance: 2}), append(estimates, []float64{9, 9, 9, 9})
	}
	dropWeak(factors, pairs, estimates, ranks, 100)
	loud := 0
	for _, g := range factors {
		if !g.dropped {
			loud++
		}
	}
	if want := manyParticles / pairCells; loud != want {
		t.Errorf("%d of %d pairs have a factor, not %d", loud, many, want)
	}
}

// For any seed of the noise that the choice adds, the joint estimate is preferred where it
// is far better than separate ones, and large cells are not shrunk to their measured counts.
func TestTogetherTrustsWhatIsBest(t *testing.T) {
	random := rand.New(rand.NewPCG(19, 1))
	sizes := []int{5, 4, 6, 3, 5, 4, 2, 6, 5, 4, 3, 5}
	pairs, truth := restsOf(classes(sizes, 10_000, 2, random), 80, random)
	off := func(estimate func(n int) []float64) (sum float64) {
		for n := range pairs {
			for k, y := range estimate(n) {
				sum += (y - truth[n][k]) * (y - truth[n][k])
			}
		}
		return sum
	}
	raw := off(func(n int) []float64 { return pairs[n].values })
	for seed := range uint64(3) {
		got, err := shrinkJointly(context.Background(), 2, sizes, pairs, rand.New(rand.NewPCG(seed, 1)))
		if err != nil {
			t.Fatal(err)
		}
		own := off(func(n int) []float64 { return got.values[n] })
		if own > raw/4 {
			t.Errorf("seed %d: a sum of squares of %.0f, of %.0f as measured", seed, own, raw)
		}
		if drawn := off(func(n int) []float64 { pairs[n].translate(got.values[n], .5); return got.values[n] }); own > .9*drawn {
			t.Errorf("seed %d: a sum of squares of %.0f, and of %.0f near what was measured of significant cells", seed, own, drawn)
		}
	}
}
