package perturb

import (
	"math"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/learn"
)

// Excess bounds the excess cost of the result of one run over a whole table of n rows, if the run executes RSPM on b
// random rows of the table (docs/explanation/proofs/prsma.md, section 8). The bound is the sum of three terms:
//
//   - n/b times the bound on the excess over the b rows.
//   - A bound on the sampling error that holds for all hypotheses together. It follows from Hoeffding's inequality,
//     which also holds for sampling without replacement.
//   - (n/b - 1) times the largest penalty. Relative to the loss, a penalty weighs n/b times as much on the b rows as on
//     the whole table.
func (t *Runs[X, H]) Excess(n, b int64) learn.Excess {
	const miss = (1 - learn.Confidence) / 2
	c := t.objective.Class
	free, err := c.Tree(class.Problem[X]{})
	if err != nil { // the penalties exceed 62 bits
		return learn.Excess{Mean: math.Inf(1), Most: math.Inf(1)}
	}
	scale, spread := float64(n)/float64(b), float64(n)*float64(t.objective.Loss.Range())
	size := learn.LogSize(c)
	penalty := (scale - 1) * float64(free.Ceiling())
	part := t.ExcessBeyond(b, miss)
	return t.objective.Within(learn.Excess{
		Mean: scale*part.Mean + spread*math.Sqrt(2*size/float64(b)) + penalty,
		Most: scale*part.Most + spread*math.Sqrt(2*(size-math.Log(miss))/float64(b)) + penalty,
	}, n)
}
