package pairs

import (
	"math"

	"github.com/sibyl-dp/sibyl/internal/simplex"
)

// The error of the counts of two columns has two parts (docs/explanation/proofs/pairs.md, section 5): the
// noise that the projection passes, whose amount is known, and how much further the counts of
// this pair lie from their noisy sums than the noise explains that was taken away. Errors of
// pairs differ: the projection takes nearly all noise from columns of many values, and little
// from two columns of two values beside them.

// A tabulated pair is the counts of two columns, with what their error follows from: sums of
// squares over all cells, of which the transform has more than there are pairs of values.
type tabulated struct {
	counts  []float64
	noise   float64 // expected, before the projection
	passed  float64 // of it, expected
	moved   float64 // squared distance of the counts from the noisy ones
	freedom float64 // of how many equal terms the noise has the variance
}

// tabulate counts the values of two columns.
func (a *Answers) tabulate(column, other int) tabulated {
	m := a.mechanism
	first, second := m.attributes[column], m.attributes[other]
	cells := float64(first.full * second.full)
	near, noisy := make([]float64, first.full*second.full), make([]float64, first.full*second.full)
	var t tabulated
	total := m.variance[0]
	squares, passed := total*total, 0.0
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
			if a.passed == nil {
				passed += noise
			} else {
				passed += noise * a.passed.At(i, j)
			}
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
	positive := 0.0
	for i, n := range noisy {
		count := 0.0
		if v, w := i/second.full, i%second.full; v < first.size && w < second.size {
			count = t.counts[v*second.size+w]
		}
		if count > 0 {
			positive++
		}
		t.moved += (n/cells - count) * (n/cells - count)
	}
	t.freedom = (t.noise + total) * (t.noise + total) / squares
	// The total is spread over the cells that are not 0, the rest passes to these.
	t.passed = passed/cells*positive/cells + total/max(positive, 1)
	t.noise = max((t.noise+total)/cells, t.passed)
	return t
}

// taken is the noise that does not pass.
func (t tabulated) taken() float64 { return t.noise - t.passed }

// error estimates the sum of squared errors.
func (t tabulated) error() float64 {
	spread := t.taken() * math.Sqrt(2/max(1, t.freedom*t.taken()/t.noise))
	return t.passed + max(0, t.moved-t.taken()-2*spread)
}

// CountError is the root mean square error of the counts of all pairs of columns, estimated
// over all of them.
func (a *Answers) CountError() float64 {
	passed, moved, taken, cells := 0.0, 0.0, 0.0, 0
	a.mechanism.couples(func(j, k int) {
		t := a.tabulate(j, k)
		passed, moved, taken = passed+t.passed, moved+t.moved, taken+t.taken()
		cells += len(t.counts)
	})
	return math.Sqrt((passed + max(0, moved-taken)) / float64(max(cells, 1)))
}

// variances returns those of the noise in a sum of each size of a block, in rows, and under 0 of
// that in the number of rows.
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

// noise is the error of a sum of a block of one before the projection, in rows.
func (m *Mechanism) noise() float64 {
	sigma2, _ := m.law(0, 1).Sigma2.Float64()
	return math.Sqrt(sigma2) / float64(m.weight())
}

// Expected is about the error that Answers will have, by public numbers; of so many rows
// or persons, 0 where that is not known. With N the noise and X the truth, the nearest X̂ has ‖X̂ - X‖² ≤
// 2⟨N, X̂ - X⟩, which is about twice N's greatest eigenvalue times the trace of X̂.
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

// ExpectedCount is what Expected makes of counts of all pairs of columns.
func (m *Mechanism) ExpectedCount(rows int64) float64 { return m.errorOfCounts(m.Expected(rows)) }

// errorOfCounts is the error of counts of all pairs of columns.
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

// errorOf is the error of a count of two attributes: by Parseval, those of the sums in three
// blocks and of the number of rows, less where the transform has more cells than there are values.
func (m *Mechanism) errorOf(a, b attribute, err float64) float64 {
	p, q := float64(a.signs()), float64(b.signs())
	return err * math.Sqrt((p*p*q*q+p*p+q*q+1)/(float64(a.full)*float64(b.full)*float64(a.size)*float64(b.size)))
}
