package declist

import (
	"cmp"
	"math"
	"slices"
)

// A rival is an antecedent as the last rule of a list of default z.
type rival struct {
	antecedent int
	saves      int64 // sums[·][z]
	costs      int64 // sums[·][1-z]
}

// beats tells whether a rival is at least as good as another, whatever a rule
// before it captures.
func (r rival) beats(other rival) bool { return r.saves >= other.saves && r.costs <= other.costs }

// face lists the rivals that are beaten by less than two others, and perhaps
// some more, saving most first.
func (lv *level) face(z int) {
	front := lv.fronts[z][:0]
	for a, s := range lv.sums {
		r := rival{a, s[z], s[1-z]}
		if !beaten(r, front) {
			front = append(front, r)
		}
	}
	slices.SortFunc(front, func(p, q rival) int { return cmp.Or(cmp.Compare(q.saves, p.saves), cmp.Compare(p.costs, q.costs)) })
	kept := front[:0]
	first, second := int64(math.MaxInt64), int64(math.MaxInt64) // the least costs so far
	for _, r := range front {
		if r.costs >= second {
			continue
		}
		kept = append(kept, r)
		first, second = min(first, r.costs), max(first, r.costs)
	}
	lv.fronts[z] = kept
}

// beaten tells whether two of the rivals beat r. It moves the second forward,
// where it serves again sooner.
func beaten(r rival, by []rival) bool {
	once := false
	for i, other := range by {
		if !other.beats(r) {
			continue
		}
		if once {
			by[i], by[i/2] = by[i/2], by[i]
			return true
		}
		once = true
	}
	return false
}

// saving returns an upper bound on what one more rule saves of default z behind
// a rule with antecedent a: all that it would cost may be captured by that.
func (lv *level) saving(a, z int) int64 {
	captured := lv.sums[a][1-z]
	best := int64(math.MinInt64)
	for _, r := range lv.fronts[z] {
		if r.saves <= best {
			break
		}
		if r.antecedent != a {
			best = max(best, r.saves-max(0, r.costs-captured))
		}
	}
	return best
}
