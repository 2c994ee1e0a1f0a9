package pairs

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// Errors are root mean squares, of a sum of a block of one; a sum of a block of b errs √b
// times as much, before the projection exactly and after it about so.

// noise is the error before the projection, in rows.
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

// CountError is the root mean square error of counts of all pairs of columns, estimated.
func (a *Answers) CountError() float64 { return a.mechanism.errorOfCounts(a.Error) }

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

// risk estimates the error of the projection in shares of rows, of what was measured with
// that noise, by Stein's identity: the mean squared error of estimates X̂ of coordinates Y
// with Gaussian noise of variance τ² is the mean of (Y - X̂)² - τ² + 2τ²∂X̂/∂Y, whose last
// term is found along one random direction. It is raised by the standard deviation that it
// has itself, and no more than the noise.
func (m *Mechanism) risk(measured []float64, x *mat.SymDense, p *projection, noise float64) float64 {
	n := float64(len(measured) - 1)
	if p == nil || n == 0 {
		return noise
	}
	scales := m.scales()
	random := rand.New(rand.NewPCG(0, 0))
	direction := make([]float64, len(measured)) // where the measured one is no share, 0
	signs := make([]float64, len(measured))
	sum := 0.0
	m.places(func(at, row, column int) {
		scale := scales[row] * scales[column]
		signs[at] = float64(1 - 2*random.IntN(2))
		if math.Abs(measured[at]) <= 1 {
			direction[at] = signs[at] / scale
		}
		e := measured[at]*scale - x.At(row, column)
		sum += e*e - noise*noise
	})
	moved := p.derivative(m.matrix(direction, 0))
	m.places(func(at, row, column int) {
		sum += 2 * noise * noise * signs[at] * moved.At(row, column)
	})
	return min(noise, math.Sqrt(max(sum/n, 0)+noise*noise*math.Sqrt(2/n)))
}
