package pairs

import (
	"math"

	"github.com/sibyl-dp/sibyl/internal/simplex"
)

// The estimated error of the counts of two columns has two parts (docs/explanation/proofs/pairs.md, section 5). The
// first part is the noise that remains after the projection; its expected size is known. The second part is the
// distance between the projected and the noisy counts, as far as the removed noise does not explain it. Errors differ
// between pairs: the projection removes nearly all noise from columns with many values, but little noise from a pair
// of columns with two values each.

// A tabulated is the estimated contingency table of two columns, with statistics from which the error of its counts
// is estimated. Each of noise, passed and moved is a sum over all cells, in squared rows. The cells include those of
// unused values, by which each column is extended to a power of two for its Hadamard transform.
type tabulated struct {
	counts  []float64 // the projected counts, without the cells of unused values; row-major
	noise   float64   // the expected squares of the noise of the cells before the projection
	passed  float64   // the expected squares of the part of this noise that the projection does not remove
	moved   float64   // the squares of the changes that the projection makes to the noisy counts
	freedom float64   // the effective number of independent terms of the noise
}

// tabulate computes the contingency table of two columns from the noisy sums, with the statistics for the error of
// its counts.
func (a *Answers) tabulate(column, other int) tabulated {
	m := a.mechanism
	first, second := m.attributes[column], m.attributes[other]
	cells := float64(first.full * second.full)
	near, noisy := make([]float64, first.full*second.full), make([]float64, first.full*second.full)
	var t tabulated
	total := m.variance[0]
	squares := total * total
	for r := range first.full {
		for s := range second.full {
			i, j, size := 0, 0, 1
			if r > 0 {
				i, size = first.first+r-1, first.signs()
			}
			if s > 0 {
				j, size = second.first+s-1, size*second.signs()
			}
			at := r*second.full + s
			near[at] = a.Rows * a.products.At(i, j) * math.Sqrt(float64(size))
			noisy[at] = a.sums[m.place(column, other, r, s)]
			if at == 0 {
				continue
			}
			noise := m.variance[size]
			t.noise += noise
			squares += noise * noise
		}
	}
	transformPair(near, first.full, second.full)
	transformPair(noisy, first.full, second.full)
	for v := range first.size {
		for w := range second.size {
			t.counts = append(t.counts, near[v*second.full+w]/cells)
		}
	}
	t.counts = simplex.Project(t.counts, a.Rows)
	positive, passed := 0.0, 0.0
	for i, n := range noisy {
		count := 0.0
		v, w := i/second.full, i%second.full
		if v < first.size && w < second.size {
			count = t.counts[v*second.size+w]
		}
		if count > 0 {
			positive++
			if a.passed == nil {
				passed++
			} else {
				passed += a.passed.At(first.value+v, second.value+w)
			}
		}
		t.moved += (n/cells - count) * (n/cells - count)
	}
	t.freedom = (t.noise + total) * (t.noise + total) / squares
	// The noise of the number of rows is distributed over the positive cells. All other noise is equal in all cells, and
	// remains only in the positive ones, as far as the projection of the matrix has not removed it.
	t.passed = t.noise/cells*passed/cells + total/max(positive, 1)
	t.noise = max((t.noise+total)/cells, t.passed)
	return t
}

// taken returns the part of the expected squares of the noise that the projection to the nearest correlation matrix
// removes.
func (t tabulated) taken() float64 { return t.noise - t.passed }

// error estimates the sum of the squared errors of all counts in the table.
func (t tabulated) error() float64 {
	spread := t.taken() * math.Sqrt(2/max(1, t.freedom*t.taken()/t.noise))
	excess := t.moved - t.taken()
	if excess < 2*spread {
		excess = 0
	}
	return t.passed + excess
}

// CountError returns the estimated root mean square error of a count, over all counts of all pairs of columns.
func (a *Answers) CountError() float64 {
	passed, moved, taken, cells := 0.0, 0.0, 0.0, 0
	a.mechanism.couples(func(j, k int) {
		t := a.tabulate(j, k)
		passed, moved, taken = passed+t.passed, moved+t.moved, taken+t.taken()
		cells += len(t.counts)
	})
	return math.Sqrt((passed + max(0, moved-taken)) / float64(max(cells, 1)))
}

// variances returns, for each number of sums in a block, the variance of the noise of one of these sums, in squared
// rows. The key 0 is for the number of rows.
func (m *Mechanism) variances() map[int]float64 {
	of := map[int]float64{}
	weight := float64(m.weight())
	m.blocks(func(j, _, size int) {
		if j < 0 {
			size = 0
		}
		if _, known := of[size]; !known && (size > 0 || j < 0) {
			sigma2, _ := m.law(j, size).Sigma2.Float64()
			of[size] = sigma2 / (weight * weight)
		}
	})
	return of
}

// noise returns the standard deviation, in rows, of the noise of a sum in a block with a single sum, before the
// projection.
func (m *Mechanism) noise() float64 {
	sigma2, _ := m.law(0, 1).Sigma2.Float64()
	return math.Sqrt(sigma2) / float64(m.weight())
}

// Expected estimates the root mean square error of the sums after the projection. The parameter rows is the number of
// rows or persons, or 0 if it is unknown. The estimate depends only on this number and on public parameters.
//
// The estimate follows from a bound on the distance between the nearest matrix X̂ and the exact matrix X. If N is the
// matrix of the noise, ‖X̂ - X‖² ≤ ⟨N, X̂ - X⟩. The right side is about the largest eigenvalue of N times the trace
// of X̂. Expected divides twice this product by the number of sums, and takes the square root. The result is at most
// the error before the projection.
func (m *Mechanism) Expected(rows int64) float64 {
	noise, sums := m.noise(), float64(m.Len()-1)
	if rows == 0 || sums == 0 {
		return noise
	}
	trace := 1.0
	for _, a := range m.attributes {
		if a.signs() > 0 {
			trace++
		}
	}
	n := float64(rows)
	return min(noise, n*math.Sqrt(2*trace*(noise/n)*math.Sqrt(float64(m.signs))/sums))
}

// ExpectedCount estimates the root mean square error of a count, over all counts of all pairs of columns. The
// parameter rows is the number of rows or persons, or 0 if it is unknown.
func (m *Mechanism) ExpectedCount(rows int64) float64 { return m.errorOfCounts(m.Expected(rows)) }

// errorOfCounts returns the root mean square error of a count, over all counts of all pairs of columns. The parameter
// err is the error of a sum in a block with a single sum.
func (m *Mechanism) errorOfCounts(err float64) float64 {
	sum, cells := 0.0, 0.0
	for j, a := range m.attributes {
		for _, b := range m.attributes[j+1:] {
			n := float64(a.size) * float64(b.size)
			e := m.errorOf(a, b, err)
			sum, cells = sum+n*e*e, cells+n
		}
	}
	if cells == 0 {
		return 0
	}
	return math.Sqrt(sum / cells)
}

// errorOf returns the root mean square error of a count of the attributes a and b. The parameter err is the error of
// a sum in a block with a single sum. By Parseval's theorem, the result follows from the errors of the number of rows
// and of the sums in three blocks: those of a, of b, and of the pair.
func (m *Mechanism) errorOf(a, b attribute, err float64) float64 {
	p, q := float64(a.signs()), float64(b.signs())
	return err * math.Sqrt((p*p*q*q+p*p+q*q+1)/(float64(a.full)*float64(b.full)*float64(a.size)*float64(b.size)))
}
