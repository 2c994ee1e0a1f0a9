package conjunction

// descend returns a formula whose cost no change of the option of a single attribute lowers. The
// local search starts with the formula without literals and repeatedly makes the change of one
// option that lowers the cost most.
func (c *Class) descend(r records, optionCosts [][]int64) Formula {
	s := &descent{class: c, records: r, optionCosts: optionCosts, failed: make([]uint16, len(r.d))}
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

// A descent is the state of the local search in the method descend.
type descent struct {
	class       *Class
	records     records
	optionCosts [][]int64
	failed      []uint16  // for each record, the number of literals under which it is not live
	sums        [][]int64 // sums[j][atom] is the sum of d over the records with this atom that are live under all literals except the literal on axis j
}

// liveAtoms reports, for each atom of the axis, whether records with this atom remain live under
// option o, which must not be 0.
func (x *axis) liveAtoms(o int) []bool {
	pass := make([]bool, x.atoms)
	for _, a := range x.tests[o-1] {
		pass[a] = true
	}
	return pass
}

// best finds the single change that lowers the cost of formula h most, among all changes of the
// option of one axis. It returns the axis and its new option, or axis -1 if no change lowers the
// cost.
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
			change := s.optionCosts[j][o] - s.optionCosts[j][own] - live
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

// count counts, for each record, the literals of h that decide the formula's value for the record,
// so that the record is not live. It stores the counts in s.failed.
func (s *descent) count(h Formula) {
	clear(s.failed)
	for j, o := range h.Tests {
		if o == 0 {
			continue
		}
		pass := s.class.axes[j].liveAtoms(o)
		for i, a := range s.records.atoms[j] {
			if !pass[a] {
				s.failed[i]++
			}
		}
	}
}

// without computes, for each atom of axis j, the sum of the cost differences d of the records with
// this atom that are live under all literals of the formula on other axes. The cost of every option
// of the axis follows from these sums, which without stores in s.sums[j]. The parameter own is the
// current option of the formula on axis j.
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
	pass := s.class.axes[j].liveAtoms(own)
	for i, f := range s.failed {
		if f == 0 || f == 1 && !pass[atoms[i]] {
			sums[atoms[i]] += s.records.d[i]
		}
	}
}
