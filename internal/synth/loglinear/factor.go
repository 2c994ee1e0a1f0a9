package loglinear

import (
	"github.com/sibyl-dp/sibyl/internal/table"

	"github.com/sibyl-dp/sibyl/internal/synth/portable"
)

// A factor of the model has one log-interaction θ for each cell of a marginal. The model multiplies the probability
// of a row by e^θ of the row's cell. The log-interactions are fitted so that the model's counts approach the target
// counts.
type factor struct {
	axes     []table.Axis
	strides  []int     // the stride of each axis
	target   []float64 // target count of each cell
	variance float64   // variance of a target count
	prior    float64   // expected mean square of the log-interactions
	theta    []float64 // log-interactions
	mean     []float64 // the model's count of each cell
	within   []float32 // e^θ of the fixed interactions within the cells of a pair, by pair of values, row-major; nil if there are none
	moved    int       // number of moves so far
	clear    bool      // whether the mean square of a pair's log-interactions is far greater than noise explains
	started  bool      // whether the first particles were sampled from the targets (start)
	dropped  bool      // whether θ stays 0, because the counts show hardly any dependence (dropWeak)
}

func newFactor(axes []table.Axis) *factor {
	f, size := shaped(axes)
	f.target, f.theta, f.mean = make([]float64, size), make([]float64, size), make([]float64, size)
	return f
}

// shaped returns a factor with the given axes, and its number of cells. The slices target, theta and mean of the
// factor are still nil.
func shaped(axes []table.Axis) (f *factor, size int) {
	f = &factor{axes: axes, strides: make([]int, len(axes))}
	size = 1
	for i := len(axes) - 1; i >= 0; i-- {
		f.strides[i] = size
		size *= axes[i].Size
	}
	return f, size
}

// sums adds up an array over the values of a column: it returns, for each cell of the axis a, the sum of the entries
// of the cell's values.
func sums(a table.Axis, values []float64) []float64 {
	s := make([]float64, a.Size)
	for v, x := range values {
		s[a.Cell(v)] += x
	}
	return s
}

// move returns a change for each log-interaction of the factor: the optimal change Δ if all other factors are fixed,
// multiplied by rate. The slice now has the model's current count q of each cell. A change of θ by Δ changes this
// count to q·e^Δ. So the optimal Δ of a cell minimizes
//
//	(target - q·e^Δ)²/(2·variance) + hold·(θ + Δ)²/2,  hold = 4/(3·prior + θ²).
//
// move minimizes this expression by Newton's method. The second term comes from the prior of the log-interactions,
// Student's t distribution with three degrees of freedom, which has heavy tails. The sum of the counts needs no
// constraint, because the targets have the right sum.
func (f *factor) move(now []float64, rate float64) []float64 {
	change := make([]float64, len(now))
	for k, q := range now {
		t := f.theta[k]
		to := t
		for range newton {
			hold := 4 / (float64(3*f.prior) + float64(to*to))
			x := float64(q * portable.Exp(to-t))
			pull := float64(x*(f.target[k]-x))/f.variance - float64(to*hold)
			next := to + min(max(pull/(float64(x*x)/f.variance+hold), -1), 1)
			next = min(max(next, -most), most)
			if next == to {
				break // further steps would change nothing
			}
			to = next
		}
		change[k] = min(max(float64(rate*(to-t)), -1), 1)
	}
	return change
}

const (
	newton = 8 // number of Newton steps
	most   = 8 // maximum absolute log-interaction
)
