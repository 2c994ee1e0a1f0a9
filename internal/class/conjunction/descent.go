package conjunction

// descend returns a formula that no change of the option of one attribute
// betters: from no literal on, it makes the best such change again and again.
func (c *Class) descend(r records, tolls [][]int64) Formula {
	s := &descent{class: c, records: r, tolls: tolls, failed: make([]uint16, len(r.d))}
	for j := range c.axes {
		s.sums = append(s.sums, make([]int64, c.axes[j].atoms))
	}
	h := Formula{make([]int, len(c.axes))}
	for {
		j, o := s.best(h)
		if j < 0 {
			return h
		}
		h.Tests[j] = o
	}
}

// A descent is the state of a local search: how many literals of a formula each
// record fails.
type descent struct {
	class   *Class
	records records
	tolls   [][]int64
	failed  []uint16
	sums    [][]int64 // by axis and atom
}

// pass tells with which atoms a record lives under option o of an axis.
func (x *axis) pass(o int) []bool {
	pass := make([]bool, x.atoms)
	for _, a := range x.tests[o-1] {
		pass[a] = true
	}
	return pass
}

// best returns the best change of one option, or -1 if none betters h.
func (s *descent) best(h Formula) (axis, option int) {
	s.count(h)
	live := int64(0)
	for i, f := range s.failed {
		if f == 0 {
			live += s.records.d[i]
		}
	}
	full := h.Literals() == s.class.most()
	axis, gain := -1, int64(0)
	for j := range s.class.axes {
		x, own := &s.class.axes[j], h.Tests[j]
		s.without(j, own)
		for o := range 1 + len(x.tests) {
			if o > 0 && own == 0 && full {
				break
			}
			change := s.tolls[j][o] - s.tolls[j][own] - live
			if o == 0 {
				for _, d := range s.sums[j] {
					change += d
				}
			} else {
				for _, a := range x.tests[o-1] {
					change += s.sums[j][a]
				}
			}
			if change < gain {
				axis, option, gain = j, o, change
			}
		}
	}
	return axis, option
}

// count counts the literals of h that each record fails.
func (s *descent) count(h Formula) {
	clear(s.failed)
	for j, o := range h.Tests {
		if o == 0 {
			continue
		}
		pass := s.class.axes[j].pass(o)
		for i, a := range s.records.atoms[j] {
			if !pass[a] {
				s.failed[i]++
			}
		}
	}
}

// without sums up, by their atoms on axis j, the records that live under all
// literals but the one on that axis.
func (s *descent) without(j, own int) {
	sums, atoms := s.sums[j], s.records.atoms[j]
	clear(sums)
	if own == 0 {
		for i, f := range s.failed {
			if f == 0 {
				sums[atoms[i]] += s.records.d[i]
			}
		}
		return
	}
	pass := s.class.axes[j].pass(own)
	for i, f := range s.failed {
		if f == 0 || f == 1 && !pass[atoms[i]] {
			sums[atoms[i]] += s.records.d[i]
		}
	}
}
