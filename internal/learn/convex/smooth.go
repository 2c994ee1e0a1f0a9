package convex

import (
	"fmt"
	"math"
	"slices"
)

// DPSGD sets the weights to a multiple of an estimate of the totals. The total of a column is the
// sum of its gradients in all steps so far. The estimate reduces the noise of the totals in two
// ways, smoothing and shrinkage.
//
// Smoothing: adjacent categories of an ordered attribute, such as intervals, usually have similar
// weights. So the totals of the columns of such an attribute (see Features.Ordered) are multiplied
// by a symmetric matrix S. For ordered categories i and k, S[i,k] is 1 if i = k, and otherwise
// (1-r)·0.8·exp(-(i-k)²/(2l²)). Gradient descent with S learns smooth functions along the order
// first, and damps the noise of differences between adjacent categories. S has two parameters:
//
//   - The length l is proportional to the number of categories, so S hardly changes the weights of
//     an attribute with few categories.
//   - The roughness r is estimated from the totals. It is 1 if adjacent categories clearly differ
//     as much as distant ones, and then S is the identity.
//
// Shrinkage: some attributes have hardly any effect on the label, and their totals are mostly
// noise. So the totals of an attribute with several columns are multiplied by a factor between 0
// and 1, similar to that of James and Stein (1961). The factor is small if the squares of the
// totals are about as large as those of the noise.
//
// The estimate depends only on public parameters and noisy sums, so it is post-processing
// (docs/explanation/proofs/dpsgd.md, section 4).

const (
	// identityPart is the weight of the identity matrix in the smoothing matrix S if the roughness
	// r is 0.
	identityPart = 0.2
	// mostLength is the maximum of the length l of the smoothing, in categories. It bounds the time of a multiplication
	// by S.
	mostLength = 64
	// shrinkage determines how much noise is subtracted when totals are shrunk: this share of the
	// noise's expected squares is subtracted from the squares of the totals.
	shrinkage = 0.5
	// fewColumns is the maximum number of columns of an attribute whose totals of gradients are not
	// shrunk.
	fewColumns = 2
	// leastKernel is the bound below which entries of the smoothing matrix S are replaced by 0, to save time.
	leastKernel = 1e-9
)

// A smoothing holds the matrix S (defined above) for the ordered categories of one attribute, whose
// columns are first to first+n-1.
type smoothing struct {
	first, n int
	kernel   []float64 // the entries of S for r = 0 by distance to the diagonal; further ones are 0
}

// kernel returns the entries of the smoothing matrix S for n ordered categories, if the roughness r
// is 0. Element d of the list is the entry at distance d from the diagonal. Entries at greater
// distances are 0. For at most 5 categories, S is the identity.
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

// Ordered returns a copy of the features with an order of categories, along which DPSGD smooths
// noisy sums. The first ordered[j] categories of attribute j are in an order in which adjacent
// categories are similar. If ordered[j] is 0, attribute j has no order. The order has an effect
// only on attributes that have a column for each category, as with OneHot.
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

// An estimator estimates the sums of the gradients of all steps so far, from the noisy sums of one
// release. It holds the totals of the noisy sums.
type estimator struct {
	features *Features
	sigma2   float64   // the variance of the noise of a sum
	totals   []float64 // the totals of the noisy sums of all steps so far, by column
	variance float64   // the variance of the noise of a total
}

func (m *DPSGD) estimator() *estimator {
	sigma2, _ := m.noise.Sigma2.Float64()
	return &estimator{features: m.features, sigma2: sigma2, totals: make([]float64, m.features.columns)}
}

// add adds the noisy gradient sum of the next step to the totals, and returns the smoothed and
// shrunk estimate of the totals.
func (m *estimator) add(sum []float64) []float64 {
	m.variance += m.sigma2
	for j, v := range sum {
		m.totals[j] += v
	}
	estimate := slices.Clone(m.totals)
	m.smooth(estimate)
	m.shrink(estimate)
	return estimate
}

// smooth multiplies an estimate of the totals of gradients by the smoothing matrices S of the ordered attributes, in
// place. For an attribute with a thousand ordered categories, this takes at most about 8·10⁵ multiplications,
// because entries far from the diagonal are 0.
func (m *estimator) smooth(estimate []float64) {
	for _, s := range m.features.smoothed {
		last := s.first + s.n
		s.apply(estimate[s.first:last], roughness(m.totals[s.first:last], m.variance))
	}
}

// shrink multiplies the estimated totals of the gradients of each attribute by the attribute's shrinkage factor, in
// place. It does not change the constant column.
func (m *estimator) shrink(estimate []float64) {
	first := 1
	for _, n := range m.features.widths {
		factor := signal(m.totals[first:first+n], m.variance)
		for j := first; j < first+n; j++ {
			estimate[j] *= factor
		}
		first += n
	}
}

// signal returns the shrinkage factor by which the totals of an attribute's columns are multiplied.
// It is 1 for at most fewColumns columns. The parameter variance is the variance of the noise of a
// total.
func signal(totals []float64, variance float64) float64 {
	if len(totals) <= fewColumns {
		return 1
	}
	squares := 0.0
	for _, v := range totals {
		squares += v * v
	}
	return max(1-shrinkage*variance*float64(len(totals))/squares, 0)
}

// roughness estimates the roughness r of an attribute, from 0 to 1, from the totals of its
// categories. The parameter variance is the variance of the noise of a total.
//
// The estimate is the mean square of the second differences of the totals, divided by the mean
// square that they would have if the totals were in random order. The expected contribution of the
// noise is subtracted from both: once from the denominator, but twice from the numerator, so that
// noise is not mistaken for roughness.
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
