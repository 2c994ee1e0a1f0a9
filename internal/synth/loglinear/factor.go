package loglinear

import "github.com/sibyl-dp/sibyl/internal/table"

// A factor is a table of log-interactions θ over the cells of a few columns, with the counts to which
// it is fitted.
type factor struct {
	axes     []table.Axis
	strides  []int     // of each axis
	target   []float64 // target count of each cell
	variance float64   // variance of a target count
	prior    float64   // expected mean square of the log-interactions
	theta    []float64 // log-interactions
	mean     []float64 // the model's count of each cell
	moved    int       // number of moves so far
	silent   bool      // whether θ stays 0, since the counts are indistinguishable from noise
}

func newFactor(axes []table.Axis) *factor {
	f, size := shaped(axes)
	f.target, f.theta, f.mean = make([]float64, size), make([]float64, size), make([]float64, size)
	return f
}

// shaped returns a factor without its tables, and their number of cells.
func shaped(axes []table.Axis) (f *factor, size int) {
	f = &factor{axes: axes, strides: make([]int, len(axes))}
	size = 1
	for i := len(axes) - 1; i >= 0; i-- {
		f.strides[i] = size
		size *= axes[i].Size
	}
	return f, size
}

// sums returns, for each cell of an axis, the sum of the numbers of its values.
func sums(a table.Axis, values []float64) []float64 {
	s := make([]float64, a.Size)
	for v, x := range values {
		s[a.Cell(v)] += x
	}
	return s
}

// move returns rate times the change Δ of the log-interactions that is optimal for this factor
// alone, given the current count q of each cell (now). Reweighting a cell by e^Δ changes its count to
// q·e^Δ, so each cell minimizes
//
//	(target - q·e^Δ)²/(2·variance) + hold·(θ + Δ)²/2,  hold = 4/(3·prior + θ²),
//
// by Newton's method. The sum of the counts needs no constraint, since the targets have the right
// sum. The factor hold comes from a Student t prior with three degrees of freedom, which has heavy
// tails.
func (f *factor) move(now []float64, rate float64) []float64 {
	change := make([]float64, len(now))
	for k, q := range now {
		t := f.theta[k]
		to := t
		for range newton {
			hold := 4 / (float64(3*f.prior) + float64(to*to))
			x := float64(q * exp(to-t))
			pull := float64(x*(f.target[k]-x))/f.variance - float64(to*hold)
			to += min(max(pull/(float64(x*x)/f.variance+hold), -1), 1)
			to = min(max(to, -most), most)
		}
		change[k] = min(max(float64(rate*(to-t)), -1), 1)
	}
	return change
}

const (
	newton = 8 // number of Newton steps
	most   = 8 // maximum absolute log-interaction
)
