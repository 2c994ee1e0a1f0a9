package learn

import (
	"math"

	"github.com/sibyl-dp/sibyl/class"
)

// Excess bounds the excess over a table of n rows of a minimiser found on b of
// them (docs/proofs/prsma.md, section 8). Scaled by n/b, that is the part's own
// excess; what sampling adds, for which Hoeffding's inequality holds without
// replacement too, for all hypotheses at once; and that the penalty weighs n/b
// times as much on the part.
func (t budgeted[X, H]) Excess(n, b int64) Excess {
	const miss = (1 - Confidence) / 2
	c := t.Class()
	free, err := c.Tree(class.Problem[X]{})
	if err != nil { // penalties beyond 62 bits
		return Excess{math.Inf(1), math.Inf(1)}
	}
	scale, spread := float64(n)/float64(b), float64(n)*float64(t.loss.Range())
	size := logBig(c.Size())
	penalty := (scale - 1) * float64(free.Ceiling())
	return within(Excess{
		Mean: scale*t.RSPM.Excess(b).Mean + spread*math.Sqrt(2*size/float64(b)) + penalty,
		Most: scale*t.noiseMost(miss) + spread*math.Sqrt(2*(size-math.Log(miss))/float64(b)) + penalty,
	}, n, t.loss, c)
}

// noiseMost is what the excess of the mechanism on its own table exceeds with
// probability at most miss, as RSPM.Excess has it for one of 1 - Confidence.
func (m *RSPM[X, H]) noiseMost(miss float64) float64 {
	bits := float64(m.Class().Separator())
	rate, _ := m.Rate().Float64()
	switch g := float64(m.grid); {
	case bits == 0:
		return 0
	case m.kind == Cube:
		_, high := cubeRadius(bits, rate, 1-miss/2)
		return (bits*(high+1)/4 + high*math.Sqrt(-bits/2*math.Log(miss/2))) / g
	default:
		p, most := math.Exp(-rate), math.Inf(1)
		for i := 1; i < 1000; i++ {
			theta := float64(i) / 1000 * rate
			q := p * math.Exp(theta)
			moment := math.Log1p((1 - p) / (1 + p) * (q/(1-q) - p/(1-p)))
			most = min(most, (bits*moment-math.Log(miss))/theta)
		}
		return most / g
	}
}
