package convex

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// DPSGD is private stochastic gradient descent on the logistic loss (Bassily, Smith and Thakurta 2014; Abadi et al.
// 2016). Each step
//
//  1. selects each row independently with the probability Share,
//  2. clips the gradient of each selected row to a Euclidean norm of at most Clip, and adds up these gradients,
//  3. adds discrete Gaussian noise to the sum,
//  4. estimates the total of the sums of all steps so far, by smoothing and shrinkage of the noisy total
//     (smooth.go),
//  5. sets the weights to a negative multiple of this estimate.
//
// The released weights are the average of the weights after each step of the second half. All computation after the
// noise is post-processing.
//
// The gradient of a record is its residual times its 0/1 vector. The residual is rounded to a multiple of 1/Grid and
// clipped, so gradients are integer vectors in units of 1/Grid. Their norms are therefore bounded exactly, although
// the residual is computed in floating point. The noise is added to exact integers.
//
// Under a relation of persons, Share must be 1. Rows then count with their weights, and the gradients of all rows of
// a person add up to a vector of norm at most learn.Units times Clip.
//
// Guarantee: (ε, δ)-DP under the given relation, by privacy.SubsampledGaussian (docs/explanation/proofs/dpsgd.md). It
// does not cover the choice of the parameters in Descent. If they are tuned on the private table, the privacy loss is
// greater than the guarantee states.
type DPSGD struct {
	features  *Features
	descent   Descent
	bound     int64   // the maximum norm of the gradient of a row, in steps of 1/Grid
	units     int64   // the weight of a person or row, learn.Units
	limit     []int64 // the maximum absolute residual, by number of ones
	share     *big.Rat
	noise     noise.Gaussian
	guarantee privacy.Approximate
	account   privacy.SubsampledGaussian
}

// A Descent holds the public parameters of the gradient descent DPSGD.
type Descent struct {
	// Share is q, the probability with which a step samples a row. With 1, each
	// step uses all rows.
	Share privacy.Decimal
	// Steps is the number of steps of the descent, 1 to MostSteps.
	Steps int
	// Clip is the maximum Euclidean norm of one row's gradient.
	Clip privacy.Decimal
	// Rate is the learning rate: the weights are -Rate/Batch times the estimated total of the gradients. Under a
	// relation of persons, the sum of a step is over persons.
	Rate float64
	// Batch is the divisor of the noisy sums. Share times the number of rows or persons is usual, if this number is
	// public.
	Batch float64
	// Grid is the precision of residuals: they are rounded to multiples of 1/Grid. 0 means DefaultGrid.
	Grid int64
	// Tree is the ε of the sample of a tree that precedes the descent (TreeDPSGD), or 0. The guarantee of the
	// descent covers this sample too.
	Tree privacy.Decimal
}

const (
	// MostSteps is the maximum number of steps of a descent.
	MostSteps = 1 << 20
	// DefaultGrid is the default of Descent.Grid: residuals are rounded to multiples of 1/DefaultGrid.
	DefaultGrid = 1 << 10
)

// mostBound is the maximum norm of a gradient in units of 1/Grid. Sums of learn.MostRows gradients
// of this norm fit into 62 bits.
const mostBound = 1 << 30

// mostWeight is the maximum absolute value of a weight. Weights are clipped to it in each step, so that they remain
// finite.
const mostWeight = 1 << 20

// NewDPSGD returns the mechanism with nearly the least noise for which privacy.SubsampledGaussian
// proves (ε, δ)-DP. The variance parameter σ² of the noise is at most one part in 2^10 above the
// least value.
func NewDPSGD(f *Features, o Descent, epsilon, delta privacy.Decimal, r privacy.Relation) (*DPSGD, error) {
	m, err := newDPSGD(f, o, epsilon, delta, r)
	if err != nil {
		return nil, err
	}
	return m, m.calibrate()
}

// NewDPSGDWith returns the mechanism with a given amount of noise: sigma2 is the variance parameter
// σ² in units of 1/Grid². It fails if privacy.SubsampledGaussian does not prove (ε, δ)-DP for this
// noise.
func NewDPSGDWith(f *Features, o Descent, sigma2 *big.Int, epsilon, delta privacy.Decimal, r privacy.Relation) (*DPSGD, error) {
	m, err := newDPSGD(f, o, epsilon, delta, r)
	if err != nil {
		return nil, err
	}
	if sigma2.Sign() < 1 {
		return nil, fmt.Errorf("convex: σ² is %v and must be positive", sigma2)
	}
	switch ok, err := m.suffices(sigma2); {
	case err != nil:
		return nil, err
	case !ok:
		return nil, fmt.Errorf("convex: noise with σ² = %v does not guarantee ε = %v and δ = %v", sigma2, epsilon, delta)
	}
	return m, nil
}

func newDPSGD(f *Features, o Descent, epsilon, delta privacy.Decimal, r privacy.Relation) (*DPSGD, error) {
	if o.Grid == 0 {
		o.Grid = DefaultGrid
	}
	clip := o.Clip.Rat()
	clip.Mul(clip, new(big.Rat).SetInt64(o.Grid))
	bound := new(big.Int).Quo(clip.Num(), clip.Denom())
	switch {
	case o.Grid < 1 || bound.Sign() < 1 || bound.Cmp(big.NewInt(mostBound)) > 0:
		return nil, fmt.Errorf("convex: the clipping bound %v must be 1 to 2^30 steps of 1/%d", o.Clip, o.Grid)
	case o.Steps < 1 || o.Steps > MostSteps:
		return nil, fmt.Errorf("convex: the number of steps is %d; it must be 1 to %d", o.Steps, MostSteps)
	case !(o.Rate > 0 && o.Rate <= mostWeight && o.Batch > 0 && o.Batch <= learn.MostRows):
		return nil, fmt.Errorf("convex: the learning rate %v and the batch %v must be positive", o.Rate, o.Batch)
	}
	g, err := privacy.NewApproximate(r, epsilon, delta)
	if err != nil {
		return nil, err
	}
	m := &DPSGD{features: f, descent: o, bound: bound.Int64(), units: learn.Units(r), share: o.Share.Rat(), guarantee: g}
	m.limit = make([]int64, f.most+1)
	for ones := 1; ones <= f.most; ones++ {
		m.limit[ones] = root(m.bound * m.bound / int64(ones))
	}
	return m, nil
}

// suffices reports whether privacy.SubsampledGaussian proves the guarantee of m if the noise has
// the variance parameter σ². If it does, suffices stores the noise and the resulting privacy
// profile in m.
func (m *DPSGD) suffices(sigma2 *big.Int) (bool, error) {
	square := new(big.Int).Mul(big.NewInt(m.bound), big.NewInt(m.units))
	ratio := new(big.Rat).SetFrac(sigma2, square.Mul(square, square))
	g, err := privacy.NewSubsampledGaussian(m.guarantee.Relation(), m.share, ratio, m.descent.Steps)
	if err == nil && !m.descent.Tree.IsZero() {
		var tree privacy.BoundedRange
		if tree, err = privacy.NewBoundedRange(m.guarantee.Relation(), m.descent.Tree); err == nil {
			g, err = g.After(tree)
		}
	}
	if err != nil || !g.Within(m.guarantee.Epsilon(), m.guarantee.DeltaAtEpsilon()) {
		return false, err
	}
	m.account, m.noise.Sigma2 = g, new(big.Rat).SetInt(sigma2)
	return true, nil
}

// calibrate finds, by bisection, nearly the least variance parameter σ² of the noise that suffices
// for the guarantee, and stores it in m.
func (m *DPSGD) calibrate() error {
	low, high := new(big.Int), big.NewInt(1)
	for {
		ok, err := m.suffices(high)
		if err != nil {
			return err
		}
		if ok {
			break
		}
		if high.BitLen() > 200 {
			return fmt.Errorf("convex: no noise level was found that guarantees ε = %v and δ = %v; increase ε or δ", m.guarantee.Epsilon(), m.guarantee.DeltaAtEpsilon())
		}
		low.Set(high)
		high.Lsh(high, 2)
	}
	one := big.NewInt(1)
	for {
		gap := new(big.Int).Sub(high, low)
		if gap.Cmp(one) <= 0 || gap.Cmp(new(big.Int).Rsh(high, 10)) <= 0 {
			return nil
		}
		middle := gap.Add(low, gap.Rsh(gap, 1))
		if ok, err := m.suffices(middle); err != nil {
			return err
		} else if ok {
			high = middle
		} else {
			low = middle
		}
	}
}

// root returns ⌊√n⌋, the integer square root of n.
func root(n int64) int64 { return new(big.Int).Sqrt(big.NewInt(n)).Int64() }

// Guarantee returns (ε, δ)-DP, which holds for every release.
func (m *DPSGD) Guarantee() privacy.Guarantee { return m.guarantee }

// Account returns the privacy profile of the mechanism: δ as a function of ε. The guarantee that
// the method Guarantee returns is one point of this function.
func (m *DPSGD) Account() privacy.SubsampledGaussian { return m.account }

// mostNoisy is the maximum number of noisy integers for which the method Gaussian states a
// guarantee.
const mostNoisy = 1 << 30

// Gaussian returns the guarantee of all steps together as Gaussian differential privacy. It
// includes the sample of a tree before the steps, if there is one
// (docs/explanation/proofs/dpsgd.md, section 5.4). The result ok is false if steps sample rows, if
// the noise is too small, or if there are too many noisy sums.
func (m *DPSGD) Gaussian() (g privacy.GDP, ok bool) {
	if !m.share.IsInt() || int64(m.descent.Steps)*int64(m.features.columns) > mostNoisy {
		return g, false
	}
	r := m.guarantee.Relation()
	change := big.NewInt(m.units)
	if change.Mul(change, big.NewInt(m.bound)); r.Replaces() {
		change.Lsh(change, 1)
	}
	c := new(big.Rat).SetInt(change.Mul(change, change))
	square, steps := privacy.NoiseSquare(c, m.noise.Sigma2), big.NewRat(int64(m.descent.Steps), 1)
	if square == nil {
		return g, false
	}
	rho := c.Quo(c, new(big.Rat).Mul(m.noise.Sigma2, big.NewRat(2, 1)))
	square.Mul(square, steps)
	rho.Mul(rho, steps)
	g, err := privacy.NewGDP(r, square.Add(square, privacy.RangeSquare(m.descent.Tree)), rho.Add(rho, privacy.RangeRho(m.descent.Tree)))
	return g, err == nil
}

// Descent returns the public parameters of the mechanism.
func (m *DPSGD) Descent() Descent { return m.descent }

// Sigma2 returns σ², the variance parameter of the noise on each coordinate, in units of 1/Grid².
// It is an integer and a public parameter.
func (m *DPSGD) Sigma2() *big.Int { return new(big.Int).Set(m.noise.Sigma2.Num()) }

// Release runs the gradient descent, starting with all weights 0. It fails with the context's
// error, or with learn.ErrRows before it uses any randomness. If Share is less than 1, each step
// selects each row independently with probability Share.
func (m *DPSGD) Release(ctx context.Context, d []learn.Example[[]uint16], coins noise.Coins) (Linear, error) {
	data, err := m.features.Points(d)
	if err != nil {
		return Linear{}, err
	}
	return m.descend(ctx, data, coins)
}

// descend runs the gradient descent on the data, starting with all weights 0. It fails only with
// the context's error.
func (m *DPSGD) descend(ctx context.Context, data []Point, coins noise.Coins) (Linear, error) {
	w, average := Linear{make([]float64, m.features.columns)}, Linear{make([]float64, m.features.columns)}
	estimator := m.estimator()
	scale := m.descent.Rate / (m.descent.Batch * float64(m.descent.Grid) * float64(m.units))
	first := m.descent.Steps / 2 // the first step whose weights are averaged
	for step := range m.descent.Steps {
		if err := ctx.Err(); err != nil {
			return Linear{}, err
		}
		for j, total := range estimator.add(m.noisySum(data, w, coins)) {
			w.Weights[j] = min(max(-scale*total, -mostWeight), mostWeight)
			if step >= first {
				average.Weights[j] += w.Weights[j] / float64(m.descent.Steps-first)
			}
		}
	}
	return average, nil
}

// noisySum returns the noisy sum of the gradients of one step at the weights w, where each row is
// weighted by its count. The unit is 1/Grid for a row of weight 1. The sum is converted to floating
// point only after the noise is added.
func (m *DPSGD) noisySum(data []Point, w Linear, coins noise.Coins) []float64 {
	exact := make([]int64, m.features.columns)
	for _, p := range data {
		taken := m.sample(p.Count, coins)
		if taken == 0 {
			continue
		}
		r := m.residual(p, w)
		for _, j := range p.Row {
			exact[j] += taken * r
		}
	}
	sum := make([]float64, len(exact))
	for j, v := range exact {
		k := coins.Draw(m.noise)
		sum[j], _ = k.Add(k, big.NewInt(v)).Float64()
	}
	return sum
}

// sample returns how many of the given number of equal rows a step selects. The result is random,
// with a binomial distribution.
func (m *DPSGD) sample(count int64, coins noise.Coins) int64 {
	if m.share.IsInt() {
		return count
	}
	taken := int64(0)
	for range count {
		if coins.Bernoulli(m.share) {
			taken++
		}
	}
	return taken
}

// residual returns the residual of point p at the weights w, in units of 1/Grid: the predicted
// probability of label 1, minus 1 if p has this label. The gradient of the loss is the residual
// times the 0/1 vector of p. The residual is clipped so that the norm of the gradient is at most
// m.bound.
func (m *DPSGD) residual(p Point, w Linear) int64 {
	r := Sigmoid(w.Score(p.Row))
	if p.Label {
		r--
	}
	limit := m.limit[len(p.Row)]
	return min(max(int64(math.Floor(r*float64(m.descent.Grid))), -limit), limit)
}
