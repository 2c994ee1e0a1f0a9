package convex

import (
	"context"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/noise"
)

// perturbed is the problem to minimise, over weights in [-bound, bound], the
// logistic loss of the data less the linear term, which is in steps of
// 1/termGrid.
type perturbed struct {
	data  []point
	bound int64
	slack *big.Rat
	term  []*big.Int
}

// minimize returns weights, in steps of 1/weightGrid, whose value is proved to
// exceed the least by at most the slack. It goes on until it has some, or the
// context ends.
func (p perturbed) minimize(ctx context.Context) ([]int64, error) {
	w := p.newton(make([]float64, len(p.term)))
	for t := 0; ; t++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if u := p.round(w); p.certified(u) {
			return u, nil
		}
		w = p.newton(p.frankWolfe(w, 1<<min(t, 16)))
	}
}

// round returns the nearest grid point of the box.
func (p perturbed) round(w []float64) []int64 {
	u := make([]int64, len(w))
	for j := range w {
		u[j] = min(max(int64(math.Round(w[j]*weightGrid)), -p.bound*weightGrid), p.bound*weightGrid)
	}
	return u
}

// certified tells whether the duality gap proves that u is within the slack of the
// least value. With an integer vector G near 2^b times the gradient, the gap is
//
//	max over v in the box of ⟨∇, u - v⟩ ≤ Σ_j (G_j·u_j + |G_j|·bound) / 2^b + error,
//
// where each residual in G errs by less than 1, and so moves the gap by at most
// the number of its ones times the box's width (docs/proofs/opsamp.md).
// Arithmetic is exact, so nothing here rests on floating point.
func (p perturbed) certified(u []int64) bool {
	ones := new(big.Int) // of all rows, which times the width bounds the error in steps of 1/2^b
	for _, q := range p.data {
		ones.Add(ones, new(big.Int).Mul(big.NewInt(q.count), big.NewInt(int64(len(q.row)))))
	}
	width := big.NewInt(2 * p.bound)
	b := uint(ones.BitLen()+width.BitLen()) + 10 // an error of at most 2^-10
	gradient := p.gradient(u, b)

	bound := big.NewInt(p.bound * weightGrid)
	gap := new(big.Int).Mul(ones, width)
	gap.Lsh(gap, weightBits)
	for j, g := range gradient {
		gap.Add(gap, new(big.Int).Mul(g, big.NewInt(u[j])))
		gap.Add(gap, new(big.Int).Mul(g.Abs(g), bound))
	}
	scale := new(big.Int).Lsh(big.NewInt(1), b+weightBits)
	return new(big.Rat).SetFrac(gap, scale).Cmp(p.slack) <= 0
}

// gradient returns 2^b times the gradient at u, up to the rounding of each row's
// residual, which errs by less than 1.
func (p perturbed) gradient(u []int64, b uint) []*big.Int {
	g := make([]*big.Int, len(p.term))
	for j, t := range p.term {
		g[j] = new(big.Int).Lsh(t, b-termBits)
		g[j].Neg(g[j])
	}
	whole := new(big.Int).Lsh(big.NewInt(1), b)
	for _, q := range p.data {
		z := int64(0)
		for _, j := range q.row {
			z += u[j]
		}
		r := logisticFixed(z, b)
		if q.label {
			r.Sub(r, whole)
		}
		r.Mul(r, big.NewInt(q.count))
		for _, j := range q.row {
			g[j].Add(g[j], r)
		}
	}
	return g
}

// logisticFixed returns 2^b/(1 + e^-z) up to an error of less than 1, for z in
// steps of 1/weightGrid.
func logisticFixed(z int64, b uint) *big.Int {
	size := max(z, -z)
	e, _ := noise.ExpInterval(big.NewRat(size, weightGrid), b+4) // e^-size, or less by at most 2^-(b+3)
	whole := new(big.Int).Lsh(big.NewInt(1), b+4)
	up := new(big.Int).Lsh(big.NewInt(1), 2*b+4)
	up.Quo(up, whole.Add(whole, e))
	if z < 0 {
		return up.Sub(new(big.Int).Lsh(big.NewInt(1), b), up)
	}
	return up
}

// What follows looks for weights that certified accepts, in floating point.

// value and slope are those of the problem.
func (p perturbed) value(w []float64) float64 { return logisticLoss(p.data, w, 0) - dot(p.terms(), w) }

func (p perturbed) terms() []float64 {
	t := make([]float64, len(p.term))
	for j := range t {
		t[j], _ = new(big.Rat).SetFrac(p.term[j], big.NewInt(termGrid)).Float64()
	}
	return t
}

func (p perturbed) cut(w []float64) []float64 {
	bound := float64(p.bound)
	for j := range w {
		w[j] = min(max(w[j], -bound), bound)
	}
	return w
}

// newton takes projected Newton steps: weights at the box's side that would
// leave it stay, the others take a Newton step, shortened until it pays.
func (p perturbed) newton(w []float64) []float64 {
	terms, bound := p.terms(), float64(p.bound)
	value := p.value(w)
	for range 60 {
		gradient, hessian := derivatives(p.data, w, 1e-9)
		gradient = move(gradient, terms, -1)
		held := func(j int) bool {
			return w[j] >= bound && gradient[j] < 0 || w[j] <= -bound && gradient[j] > 0
		}
		free := make([]float64, len(w))
		for j := range w {
			if !held(j) {
				free[j] = gradient[j]
				continue
			}
			for k := range w {
				hessian[j][k], hessian[k][j] = 0, 0
			}
			hessian[j][j] = 1
		}
		step := solve(hessian, free)
		scale := 1.0
		next := p.cut(move(w, step, -scale))
		for scale > 1e-6 && p.value(next) > value {
			scale /= 2
			next = p.cut(move(w, step, -scale))
		}
		gain := value - p.value(next)
		if !(gain >= 0) {
			break
		}
		w, value = next, value-gain
		if gain <= 1e-14*(1+math.Abs(value)) {
			break
		}
	}
	return w
}

// frankWolfe takes steps towards the box's best corner for the slope.
func (p perturbed) frankWolfe(w []float64, steps int) []float64 {
	terms := p.terms()
	for t := range steps {
		gradient, _ := derivatives(p.data, w, 0)
		corner := make([]float64, len(w))
		for j := range corner {
			corner[j] = -math.Copysign(float64(p.bound), gradient[j]-terms[j])
		}
		w = move(w, move(corner, w, -1), 2/float64(t+3))
	}
	return p.cut(w)
}
