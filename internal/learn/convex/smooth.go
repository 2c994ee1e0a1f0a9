package convex

import (
	"fmt"
	"math"
	"slices"
)

// Adjacent categories of an ordered attribute, such as intervals, usually have similar weights. So DPSGD with Features
// that state an order multiplies the noisy sums of an attribute's columns by a symmetric matrix S before it changes the
// weights. For ordered categories i and k, S[i,k] is 1 if i = k, and otherwise (1-r)·0.8·exp(-(i-k)²/(2l²)). Gradient
// descent with S learns first what is smooth along the order, and damps the noise of differences between adjacent
// categories. The length l is proportional to the number of categories, so S hardly changes the weights of a few
// categories. The roughness r is estimated from the noisy sums of the steps so far. It is 1 if adjacent categories
// clearly differ as much as distant ones, and then S is the identity.
//
// S depends only on public parameters and noisy sums, so smoothing is post-processing
// (docs/explanation/proofs/dpsgd.md, section 4).

const (
	// identityPart is the least weight of the identity in S.
	identityPart = 0.2
	// mostLength is the maximum of l, in categories. It bounds the time of a multiplication by S.
	mostLength = 64
	// leastKernel is the bound below which entries of S are replaced by 0, to save time.
	leastKernel = 1e-9
)

// A smoothing holds the matrix S (defined above) for the ordered categories of one attribute. Their columns are
// first to first+n-1.
type smoothing struct {
	first, n int
	kernel   []float64 // the entries of S for r = 0 by distance to the diagonal; further ones are 0
}

// kernel returns the entries of the smoothing matrix S for n ordered categories, if the roughness r is 0. Element d
// is the entry at distance d from the diagonal. Entries at greater distances than the list has are 0. For at most 5
// categories, S is the identity.
func kernel(n int) []float64 {
	length := min(float64(n)/8-0.5, mostLength)
	k := []float64{1}
	for d := 1.0; length > 0 && len(k) < n; d++ {
		v := (1 - identityPart) * math.Exp(-d*d/(2*length*length))
		if v < leastKernel {
			break
		}
		k = append(k, v)
	}
	return k
}

// Ordered returns a copy of the features with an order of categories, along which DPSGD smooths noisy sums. The
// first ordered[j] categories of attribute j are in an order in which adjacent ones are similar. If ordered[j] is
// 0, attribute j has no order. The order has an effect only on attributes that have a column for each category, as
// with OneHot.
func (f *Features) Ordered(ordered []int) (*Features, error) {
	if len(ordered) != len(f.ones) {
		return nil, fmt.Errorf("convex: there are %d attributes, but %d numbers of ordered categories; give one number for each attribute", len(f.ones), len(ordered))
	}
	own := *f
	own.smoothed = nil
	for j, n := range ordered {
		ones := f.ones[j]
		if n < 0 || n > len(ones) {
			return nil, fmt.Errorf("convex: attribute %d has %d ordered categories; it must have 0 to %d", j, n, len(ones))
		}
		if k := kernel(n); len(k) > 1 && len(ones[0]) > 0 { // only with OneHot, the first category has a column
			own.smoothed = append(own.smoothed, smoothing{ones[0][0], n, k})
		}
	}
	return &own, nil
}

// A smoother smooths the noisy sums of one release, step after step. From these sums it also estimates the
// roughness of each attribute.
type smoother struct {
	smoothed []smoothing
	sigma2   float64   // the variance of the noise of a sum
	totals   []float64 // the total of the noisy sums of all steps so far, by column
	variance float64   // the variance of the noise of a total
}

func (m *DPSGD) smoother() *smoother {
	sigma2, _ := m.noise.Sigma2.Float64()
	return &smoother{smoothed: m.features.smoothed, sigma2: sigma2, totals: make([]float64, m.features.columns)}
}

// smooth multiplies the noisy sums of the next step by the smoothing matrix S of each attribute, in place. For an
// attribute with a thousand ordered categories, this takes at most about 8·10⁵ multiplications, because entries far
// from the diagonal are 0.
func (m *smoother) smooth(sum []float64) {
	m.variance += m.sigma2
	for j, v := range sum {
		m.totals[j] += v
	}
	for _, s := range m.smoothed {
		last := s.first + s.n
		s.apply(sum[s.first:last], roughness(m.totals[s.first:last], m.variance))
	}
}

// roughness estimates the roughness r of an attribute from the totals of its categories. variance is the variance
// of the noise of a total.
//
// The estimate is the mean square of the second differences of the totals, divided by the mean square that they
// would have if the totals were in random order. The expected part of the noise is subtracted from both: once from
// the denominator, but twice from the numerator, so that noise is not taken for roughness.
func roughness(totals []float64, variance float64) float64 {
	n := float64(len(totals))
	mean := 0.0
	for _, v := range totals {
		mean += v / n
	}
	rough, all := -2*variance, -variance
	for i, v := range totals {
		all += (v - mean) * (v - mean) / (n - 1)
		if i >= 2 {
			d := v - 2*totals[i-1] + totals[i-2]
			rough += d * d / (6 * (n - 2))
		}
	}
	if rough <= 0 || all <= 0 {
		return 0
	}
	return min(rough/all, 1)
}

// apply multiplies v by the smoothing matrix S for the roughness r, in place.
func (s smoothing) apply(v []float64, r float64) {
	noisy := slices.Clone(v)
	for i := range v {
		near := 0.0
		for d, k := range s.kernel[1:] {
			if low := i - d - 1; low >= 0 {
				near += k * noisy[low]
			}
			if high := i + d + 1; high < len(v) {
				near += k * noisy[high]
			}
		}
		v[i] += (1 - r) * near
	}
}
