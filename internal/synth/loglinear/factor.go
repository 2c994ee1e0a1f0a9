package loglinear

import "github.com/sibyl-dp/sibyl/internal/table"

// A factor is a table of log-interactions of the cells of a few columns, and what it is
// fitted to.
type factor struct {
	axes     []table.Axis
	strides  []int     // of each axis
	target   []float64 // how many rows each cell is to have
	variance float64   // of the target
	prior    float64   // the mean square of log-interactions that is expected
	theta    []float64 // log-interactions
	mean     []float64 // how many rows the model gives each cell
	moved    int       // how often it was
	silent   bool      // θ is 0 and stays so: nothing was seen in the noise
}

func newFactor(axes []table.Axis) *factor {
	f, size := shaped(axes)
	f.target, f.theta, f.mean = make([]float64, size), make([]float64, size), make([]float64, size)
	return f
}

// shaped returns a factor without cells, and how many it is to have.
func shaped(axes []table.Axis) (f *factor, size int) {
	f = &factor{axes: axes, strides: make([]int, len(axes))}
	size = 1
	for i := len(axes) - 1; i >= 0; i-- {
		f.strides[i] = size
		size *= axes[i].Size
	}
	return f, size
}

// sums adds what belongs to values of an axis's column in each cell.
func sums(a table.Axis, values []float64) []float64 {
	s := make([]float64, a.Size)
	for v, x := range values {
		s[a.Cell(v)] += x
	}
	return s
}

// move returns the change of log-interactions towards the target, given how many rows
// each cell has now, times rate. Weights e^Δ turn q rows of a cell into q·e^Δ; the sum need
// not be kept, since the target has it. So the change that is best for this factor alone,
//
//	(target - q·e^Δ)²/(2·variance) + hold·(θ + Δ)²/2 → min,  hold = 4/(3·prior + θ²),
//
// is found for each cell by itself, by Newton's method. The hold is that of a prior with
// heavy tails: of Student's t with three degrees of freedom.
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
	newton = 8 // steps
	most   = 8 // the largest log-interaction
)
