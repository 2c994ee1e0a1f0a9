package perturb

import (
	"math"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/internal/learn"
)

// Excess bounds the excess over a table of n rows of a minimiser found on b of
// them (docs/explanation/proofs/prsma.md, section 8). Scaled by n/b, that is the part's own
// excess; what sampling adds, for which Hoeffding's inequality holds without
// replacement too, for all hypotheses at once; and that the penalty weighs n/b
// times as much on the part.
func (t *Runs[X, H]) Excess(n, b int64) learn.Excess {
	const miss = (1 - learn.Confidence) / 2
	c := t.objective.Class
	free, err := c.Tree(class.Problem[X]{})
	if err != nil { // penalties beyond 62 bits
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
