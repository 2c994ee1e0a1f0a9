package opsamp

import (
	"context"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn/convex"
)

// perturbed is an optimization problem: to minimize the total loss of data minus a linear function of the weights,
// over weights in [-bound, bound].
type perturbed struct {
	loss  phi
	data  []convex.Point
	bound int64
	slack *big.Rat   // the maximum excess of the solution; the search provably ends, since slack is at least 1/64
	term  []*big.Int // the coefficients of the linear function, in units of 1/termGrid
}

const (
	termBits, weightBits = 4, 64
	termGrid, weightGrid = 1 << termBits, 1 << weightBits

	// firstBits is the number of fractional bits of weights in the first exact round.
	firstBits = 96
	// firstSteps is the maximum number of steps at each level in the first exact round.
	firstSteps = 32
)

// minimize returns weights in units of 1/weightGrid. Their perturbed loss exceeds the least perturbed
// loss by at most p.slack, which a duality gap proves. If the context is cancelled, minimize returns
// the context's error; otherwise it always ends with weights (docs/explanation/proofs/opsamp.md,
// section 3b).
//
// The steps are:
//
//  1. Set the weights that the linear function determines (face).
//  2. For the other weights, follow the central path in floating point as far as possible.
//  3. Continue from there in exact arithmetic, until a duality gap certifies a point. Each round
//     doubles the precision and the number of steps of the previous round.
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

// A face is the problem restricted to a face of the box that contains a minimizer. On this face, some weights are
// fixed at a limit of the box: those for which the linear function outweighs the loss, because the absolute value of
// its coefficient is at least the greatest absolute derivative of the total loss by this weight.
type face struct {
	perturbed            // the problem over the undecided columns
	decided   []int64    // for each original column, its decided weight, or 0 if it is undecided
	offset    []int64    // for each point, the sum of the decided weights in its row
	steep     []*big.Int // for each undecided column, the greatest derivative of the total loss: G times the column's number of ones
}

// face returns the problem over the columns whose weights are not fixed, together with the weights of the fixed
// columns (see the type face).
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

// whole returns the weights of all columns, given the weights u of the columns that are not fixed.
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

// centre returns the centre of the face, at which all weights that are not fixed are 0.
func (f face) centre() []*big.Int {
	w := make([]*big.Int, len(f.term))
	for j := range w {
		w[j] = new(big.Int)
	}
	return w
}

// firstLevel returns the level at which the central path starts. At this level, the weight μ = 2^-level of the
// barrier is about the greatest derivative of the loss.
func (f face) firstLevel() int {
	top := 0
	for _, steep := range f.steep {
		top = max(top, steep.BitLen())
	}
	return -top
}

// lastLevel returns the level at which the central path ends: the least level ≥ 0 at which the smoothing and the
// barrier together change the minimum by at most an eighth of the slack.
func (f face) lastLevel() int {
	parts := big.NewRat(8*int64(len(f.term)+len(f.data)), 1)
	parts.Quo(parts, f.slack)
	return new(big.Int).Quo(parts.Num(), parts.Denom()).BitLen()
}

// round rounds the weights w, in units of 2^-bits, to the nearest multiples of 2^-weightBits. The result
// is in units of 2^-weightBits.
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

// scale converts w from units of 2^-from to the finer units of 2^-to.
func scale(w []*big.Int, from, to uint) []*big.Int {
	v := make([]*big.Int, len(w))
	for j := range w {
		v[j] = new(big.Int).Lsh(w[j], to-from)
	}
	return v
}

// certified reports whether a duality gap proves that f(u) exceeds the least value of f over the box by at most the
// slack. Here f is the perturbed loss. The weights u are the weights w of the given point, rounded to multiples
// of 1/weightGrid.
//
// The proof (docs/explanation/proofs/opsamp.md, section 3a) uses these letters:
//
//	x_i, c_i  the row of point i, and its count
//	m_i(v)    the margin of point i for weights v
//	φ*        the convex conjugate of φ
//	s_i       the derivative φ′(m_i(w))
//	gap_i     the Fenchel-Young gap of point i (phi.fixed)
//	t         the coefficients of the linear function
//	g         Σ_i ±c_i·s_i·x_i - t, where ± is the sign of the label
//
// For every v in the box, f(v) ≥ Σ_i c_i·(s_i·m_i(v) - φ*(s_i)) - ⟨t, v⟩. It follows that
//
//	f(w) - f(v) ≤ Σ_i c_i·gap_i + Σ_j (g_j·w_j + |g_j|·bound).
//
// The code adds two terms to the right side:
//
//   - a bound on the effect of the errors in the derivatives s_i, each of which is less than 2^-bits
//   - Σ_j (steep_j + |t_j|)·|u_j - w_j|, a bound on f(u) - f(w)
//
// The arithmetic is exact, so the certificate does not depend on floating point or on how w was found.
func (f face) certified(at point, u []*big.Int, bits uint) bool {
	gap := new(big.Int).Set(at.gap)
	side := new(big.Int).Lsh(big.NewInt(f.bound), bits)
	product, moved := new(big.Int), new(big.Int)
	for j, g := range at.lossGradient {
		gap.Add(gap, product.Mul(g, at.w[j]))
		gap.Add(gap, product.Mul(product.Abs(g), side))
		// Each row with a one in column j contributes an error below 2^-bits to g. There are at most
		// steep_j such rows, since G ≥ 1, and the box is 2·side wide.
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
