package class

import "fmt"

// A Point is a record and the cost of predicting 0 and of predicting 1 for it. The costs are summed
// over all equal records of the table. They are integers of either sign, in the unit of the
// problem.
type Point[X any] struct {
	X    X
	Cost [2]int64 // the cost of predicting 0, and that of predicting 1
}

// A Problem defines the cost of each hypothesis q. The cost is
//
//	Σ Cost[q(x)] over the Points + Unit·Penalty(q) + Σ_i Terms[i]·φ_i(q).
//
// Here q(x) is the prediction for the record x of a point, and φ_i(q) is bit i of the separator of
// the class.
type Problem[X any] struct {
	Points []Point[X]
	// Unit is the cost of one unit of the class's penalty. A mechanism that multiplies all costs by
	// a constant, to use a finer grid, must multiply Unit too. Unit is positive; 0 means 1.
	Unit int64
	// Terms[i] is the cost that a hypothesis incurs if it sets bit i of the class's separator (see
	// Separated). nil means that no bit has a cost.
	Terms []int64
}

// PenaltyUnit returns the cost of one unit of penalty: the field Unit, or 1 if it is 0.
func (p Problem[X]) PenaltyUnit() int64 {
	if p.Unit == 0 {
		return 1
	}
	return p.Unit
}

// CheckTerms checks that the problem has either no terms or one term for each bit of the class's
// separator, whose number is the parameter bits.
func (p Problem[X]) CheckTerms(bits int) error {
	if p.Terms != nil && len(p.Terms) != bits {
		return fmt.Errorf("class: the problem has %d linear terms, but needs one for each of the %d separator bits", len(p.Terms), bits)
	}
	return nil
}

// Range returns an upper bound on the absolute cost of any hypothesis, without its penalty. The
// result ok is false if the bound does not fit into 62 bits.
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
