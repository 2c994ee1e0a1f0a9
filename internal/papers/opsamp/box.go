package opsamp

import (
	"context"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn/convex"
)

// perturbed is the problem to minimise, over weights in [-bound, bound]: the total
// loss of the data less the linear term, which is in steps of 1/termGrid.
type perturbed struct {
	loss  phi
	data  []convex.Point
	bound int64
	slack *big.Rat // at least 1/64, on which the proof that the search ends rests
	term  []*big.Int
}

const (
	termBits, weightBits = 4, 64
	termGrid, weightGrid = 1 << termBits, 1 << weightBits

	// firstBits is the precision of the first exact steps.
	firstBits = 96
	// firstSteps is how many of them are made at most at a level.
	firstSteps = 32
)

// minimize returns weights, in steps of 1/weightGrid, whose value is proved to
// exceed the least by at most the slack. It always ends, by a proof in
// docs/explanation/proofs/opsamp.md, or with the context's error.
//
// Weights that the term decides are set. For the others, floating point follows
// the central path as far as it can. From there exact steps go on, with twice
// the precision and twice the number of steps each time, until a duality gap
// proves that some weights are good.
func (p perturbed) minimize(ctx context.Context) ([]*big.Int, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f := p.face()
	if len(f.term) == 0 {
		return f.whole(nil), nil
	}
	w, level, _ := f.search(firstBits, false).follow(ctx, f.centre(), f.firstLevel(), firstSteps)
	for k := 0; ; k++ {
		s := f.search(firstBits<<k, true)
		_, _, u := s.follow(ctx, scale(w, firstBits, s.bits), level, firstSteps<<k)
		if u != nil {
			return f.whole(u), nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
}

// A face is the problem on the box's face that has a minimum for sure. Where the term
// is at least as steep as the loss can be, it decides the weight; the other
// columns are the face's.
type face struct {
	perturbed            // with the face's columns only
	decided   []int64    // by original column, the weight, or 0
	offset    []int64    // by point, the sum of decided weights in its row
	steep     []*big.Int // by column, how steep the loss can be: G times its number of ones
}

// face decides weights.
func (p perturbed) face() face {
	steep, most := make([]*big.Int, len(p.term)), int64(0)
	for j := range steep {
		steep[j] = new(big.Int)
	}
	for _, q := range p.data {
		most = max(most, int64(len(q.Row)))
		for _, j := range q.Row {
			steep[j].Add(steep[j], big.NewInt(q.Count))
		}
	}
	f := face{perturbed: p, decided: make([]int64, len(p.term)), offset: make([]int64, len(p.data))}
	f.data, f.term = nil, nil
	column := make([]int, len(p.term))
	for j, t := range p.term {
		steep[j].Mul(steep[j], big.NewInt(p.loss.lipschitz(p.bound*most)))
		switch limit := new(big.Int).Lsh(steep[j], termBits); {
		case t.CmpAbs(limit) < 0:
			column[j] = len(f.term)
			f.term, f.steep = append(f.term, t), append(f.steep, steep[j])
		case t.Sign() < 0:
			f.decided[j] = -p.bound
		default:
			f.decided[j] = p.bound
		}
	}
	for i, q := range p.data {
		own := convex.Point{Label: q.Label, Count: q.Count}
		for _, j := range q.Row {
			f.offset[i] += f.decided[j]
			if f.decided[j] == 0 {
				own.Row = append(own.Row, column[j])
			}
		}
		f.data = append(f.data, own)
	}
	return f
}

// whole returns the weights of all columns.
func (f face) whole(u []*big.Int) []*big.Int {
	w := make([]*big.Int, len(f.decided))
	for j, v := range f.decided {
		if v == 0 {
			w[j], u = u[0], u[1:]
			continue
		}
		w[j] = big.NewInt(v)
		w[j].Lsh(w[j], weightBits)
	}
	return w
}

// centre is that of the face.
func (f face) centre() []*big.Int {
	w := make([]*big.Int, len(f.term))
	for j := range w {
		w[j] = new(big.Int)
	}
	return w
}

// firstLevel returns a level at which μ is about as much as a weight can gain.
func (f face) firstLevel() int {
	top := 0
	for _, steep := range f.steep {
		top = max(top, steep.BitLen())
	}
	return -top
}

// lastLevel returns the least level ≥ 0 for which the smoothing and barrier of weight
// μ = 2^-level cost at most an eighth of the slack.
func (f face) lastLevel() int {
	parts := big.NewRat(8*int64(len(f.term)+len(f.data)), 1)
	parts.Quo(parts, f.slack)
	return new(big.Int).Quo(parts.Num(), parts.Denom()).BitLen()
}

// round returns the nearest points of the grid to weights in steps of 2^-bits.
func (f face) round(w []*big.Int, bits uint) []*big.Int {
	u := make([]*big.Int, len(w))
	shift := bits - weightBits
	half := new(big.Int).Lsh(big.NewInt(1), shift-1)
	for j := range w {
		u[j] = new(big.Int).Add(w[j], half)
		u[j].Rsh(u[j], shift)
	}
	return u
}

// scale returns w in finer steps.
func scale(w []*big.Int, from, to uint) []*big.Int {
	v := make([]*big.Int, len(w))
	for j := range w {
		v[j] = new(big.Int).Lsh(w[j], to-from)
	}
	return v
}

// certified tells whether a duality gap proves that u is within the slack of the
// least value. With the slopes s found at the weights w near it, any v in the box
// has at least the value Σ_i c_i·(s_i·m_i(v) - φ*(s_i)) - ⟨t, v⟩, so that
//
//	f(w) - f(v) ≤ Σ_i c_i·gap_i + Σ_j (g_j·w_j + |g_j|·bound),
//
// where g = Σ_i ±c_i·s_i·x_i - t. To that come what the errors of the slopes, each less than
// a step, make of it, and f(u) - f(w), at most Σ_j (steep_j + |t_j|)·|u_j - w_j|.
// Arithmetic is exact, so nothing here rests on floating point, nor on how w
// was found (docs/explanation/proofs/opsamp.md).
func (f face) certified(at place, u []*big.Int, bits uint) bool {
	gap := new(big.Int).Set(at.gap)
	side := new(big.Int).Lsh(big.NewInt(f.bound), bits)
	product, moved := new(big.Int), new(big.Int)
	for j, g := range at.slope {
		gap.Add(gap, product.Mul(g, at.w[j]))
		gap.Add(gap, product.Mul(product.Abs(g), side))
		// An error of less than 1 a one, and G ≥ 1, times the box's width.
		gap.Add(gap, product.Mul(f.steep[j], side).Lsh(product, 1))

		moved.Lsh(u[j], bits-weightBits)
		moved.Sub(moved, at.w[j]).Abs(moved)
		product.Abs(f.term[j])
		product.Add(product, new(big.Int).Lsh(f.steep[j], termBits)).Lsh(product, bits-termBits)
		gap.Add(gap, product.Mul(product, moved))
	}
	scale := new(big.Int).Lsh(big.NewInt(1), 2*bits)
	return new(big.Rat).SetFrac(gap, scale).Cmp(f.slack) <= 0
}
