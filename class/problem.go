package class

// A Point is a distinct record with the cost of either prediction, all equal
// records of the table taken together. Costs are integers, of any sign, in the
// problem's unit.
type Point[X any] struct {
	X    X
	Cost [2]int64 // of predicting 0, of predicting 1
}

// A Problem is what a hypothesis is charged for. The cost of q is
//
//	Σ points Cost[q(x)] + Unit·Penalty(q) + Σ_i Terms[i]·φ_i(q).
type Problem[X any] struct {
	Points []Point[X]
	// Unit is how many units of cost one unit of the class's own penalty is
	// worth; a grid that scales every cost by g scales it too. Positive, or 0
	// for 1.
	Unit int64
	// Terms are costs on the bits of the class's separator, one for each bit,
	// or nil for none.
	Terms []int64
}

// PenaltyUnit returns Unit, or 1 where it is not set.
func (p Problem[X]) PenaltyUnit() int64 {
	if p.Unit == 0 {
		return 1
	}
	return p.Unit
}

// Range returns a bound on the absolute value of any cost of the problem
// without its penalty; ok is false where that bound leaves 62 bits.
func (p Problem[X]) Range() (bound int64, ok bool) {
	const most = int64(1) << 61
	add := func(v int64) bool {
		if v < 0 {
			v = -v
		}
		if v < 0 || v > most {
			return false
		}
		bound += v
		return bound <= most
	}
	for _, pt := range p.Points {
		if !add(pt.Cost[0]) || !add(pt.Cost[1]) {
			return 0, false
		}
	}
	for _, t := range p.Terms {
		if !add(t) {
			return 0, false
		}
	}
	return bound, true
}
