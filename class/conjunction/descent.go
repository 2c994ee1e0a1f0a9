package conjunction

import "slices"

// descend returns a good formula: from each of several starts it makes the best
// change of the option of one attribute, again and again.
func (c *Class) descend(r records, tolls [][]int64) Formula {
	d := &descent{class: c, records: r, tolls: tolls, failed: make([]uint16, len(r.d))}
	for j := range c.axes {
		d.sums = append(d.sums, make([]int64, c.axes[j].atoms))
	}
	return d.from(Formula{make([]int, len(c.axes))})
}

// A descent is the state of a local search: a formula, and how many of its
// literals each record fails.
type descent struct {
	class   *Class
	records records
	tolls   [][]int64
	failed  []uint16
	sums    [][]int64 // by axis and atom
}

// from descends from a formula to a local optimum.
func (s *descent) from(h Formula) Formula {
	h = h.clone()
	for {
		j, o := s.best(h)
		if j < 0 {
			return h
		}
		h.Tests[j] = o
	}
}

// best returns the best change of one option, or -1 if none is better than h.
func (s *descent) best(h Formula) (axis, option int) {
	c := s.class
	clear(s.failed)
	for j, o := range h.Tests {
		if o == 0 {
			continue
		}
		pass := make([]bool, c.axes[j].atoms)
		for _, a := range c.axes[j].tests[o-1] {
			pass[a] = true
		}
		for i, a := range s.records.atoms[j] {
			if !pass[a] {
				s.failed[i]++
			}
		}
	}
	live := int64(0)
	for i, f := range s.failed {
		if f == 0 {
			live += s.records.d[i]
		}
	}
	axis, gain := -1, int64(0)
	literals := h.Literals()
	for j := range c.axes {
		x, own := &c.axes[j], h.Tests[j]
		sums := s.sums[j]
		clear(sums)
		atoms := s.records.atoms[j]
		if own == 0 {
			for i, f := range s.failed {
				if f == 0 {
					sums[atoms[i]] += s.records.d[i]
				}
			}
		} else {
			pass := make([]bool, x.atoms)
			for _, a := range x.tests[own-1] {
				pass[a] = true
			}
			for i, f := range s.failed {
				if f == 0 || f == 1 && !pass[atoms[i]] {
					sums[atoms[i]] += s.records.d[i]
				}
			}
		}
		for o := range 1 + len(x.tests) {
			if o > 0 && own == 0 && literals == c.most() {
				break
			}
			cost := s.tolls[j][o] - s.tolls[j][own] - live
			if o == 0 {
				for _, d := range sums {
					cost += d
				}
			} else {
				for _, a := range x.tests[o-1] {
					cost += sums[a]
				}
			}
			if cost < gain {
				axis, option, gain = j, o, cost
			}
		}
	}
	return axis, option
}

var _ = slices.Max[[]int]
