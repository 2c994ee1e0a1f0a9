package loglinear

import (
	"math"

	"github.com/sibyl-dp/sibyl/internal/synth/portable"
)

// tilt adjusts the contingency table of two columns so that their dependence is as strong as the estimated residuals
// say. This is needed because the method filled raises negative estimates of empty cells, which weakens the
// dependence of columns with many empty cells.
//
// For each significant singular value s of the residuals, with the singular vectors u and v, tilt makes the contrast
//
//	Σ (count - expected)·u(row)·v(column)
//
// of the table equal to s. It changes the table as little as possible, by relative entropy: it multiplies each count
// by exp(λ·u·v), with a number λ for each singular value, and then scales the rows and the columns to their totals
// (Csiszár 1975). The contrasts are approximate after tiltRounds steps for each λ
// (docs/explanation/synthetic-fit.md).
func (p *pairTable) tilt(table, residuals []float64) {
	r, c := len(p.a), len(p.b)
	u, s, v := singular(residuals, r, c)
	least := leastTilted(r, c, p.noise)
	for range tiltRounds {
		for q := range s {
			if s[q] <= least {
				continue
			}
			missing, squares := s[q], 0.0
			for k, n := range table {
				d := float64(u[q][k/c] * v[q][k%c])
				missing -= float64((n - p.expected[k]) * d)
				squares += float64(n * float64(d*d))
			}
			by := tiltStep * share(missing, squares)
			for k := range table {
				d := float64(by * float64(u[q][k/c]*v[q][k%c]))
				table[k] *= portable.Exp(min(max(d, -mostTilt), mostTilt))
			}
			rake(table, p.a, p.b, tiltRakes)
		}
	}
	rake(table, p.a, p.b, rakes)
}

// leastTilted returns the smallest singular value of an r × c table of contrasts that is significant, given the
// variance of the noise of a count. It is the fraction tilted of the largest singular value that noise alone has,
// approximately.
func leastTilted(r, c int, variance float64) float64 {
	return float64(tilted * math.Sqrt(variance) * (math.Sqrt(float64(r-1)) + math.Sqrt(float64(c-1))))
}

const (
	tilted     = .5 // of the greatest singular value of noise; see leastTilted
	tiltRounds = 20
	tiltStep   = 1.5 // multiple of the Newton step, because raking takes back a part of it
	tiltRakes  = 2
	mostTilt   = .5 // maximum change of the logarithm of a count in one step
)

// singular returns the singular value decomposition of a row-major r × c matrix, as svd does, for any r and c.
func singular(a []float64, r, c int) (u [][]float64, s []float64, v [][]float64) {
	if r < c {
		v, s, u = svd(transpose(a, r, c), c, r)
		return u, s, v
	}
	return svd(a, r, c)
}
