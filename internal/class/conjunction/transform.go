package conjunction

import "slices"

// The transform of a block maps a table of cost differences d to a table of sums, in place and one
// axis at a time. The first table has one entry for each combination of atoms of some axes. The
// second table has one entry for each combination of options: the sum of d over all combinations of
// atoms that remain live. For axes with two atoms, and one test that accepts one atom, this is the
// zeta transform, the sum over supersets.

// blockSize is the maximum number of entries of a block of the table of costs. A block of this size
// fits into a level 2 cache.
const blockSize = 1 << 14

// A block is the part of the table of all costs that one call of transform computes. Its formulas
// have the same options on the first axes of the table's order, those before the field level, and
// all combinations of options on the other axes.
type block struct {
	level, size  int
	moves        []move  // in the order in which they are applied
	place        []int32 // the index in the block of each pattern of the level
	formulaCosts []int64 // the sum of the option costs of each formula; nil if all are 0
}

// A move is a step of the transform along one axis: it copies, adds or subtracts rows of the table.
// Each option of the axis has a region of memory (see program). The fields from and to are the
// numbers of the region that the move reads and of the region that it changes. The field stride is
// the number of consecutive entries of a row. The field group is the distance between the first
// entries of consecutive rows of a region.
type move struct {
	kind          moveKind
	group, stride int
	to, from      int
	displaced     bool // whether the rows of region from are read from the buffer of saved rows
}

type moveKind uint8

const (
	moveSave moveKind = iota // saves the rows of region from in the buffer
	moveCopy
	moveAdd
	moveSubtract
)

// inPlace reports whether the axis has at least as many options as atoms, so that the sums of the
// options fit into the same memory as the sums of the atoms.
func (x *axis) inPlace() bool { return x.atoms <= 1+len(x.tests) }

// newBlock chooses the first level from which on transforms compute the table of costs: the least
// level for which the part of the table for the remaining axes fits into a block. If the number of
// literals is limited, no level has a block.
func (t *tabulation) newBlock(unlimited bool) {
	t.block.level = -1
	if !unlimited {
		return
	}
	level := len(t.order)
	t.block.size = 1
	for level > 0 {
		x := &t.axes[t.order[level-1]]
		if !x.inPlace() || t.block.size*(1+len(x.tests)) > blockSize {
			break
		}
		level--
		t.block.size *= 1 + len(x.tests)
	}
	t.block.level = level
	t.block.place = make([]int32, t.patterns.size(level))
	stride := 1
	if !t.free {
		t.block.formulaCosts = make([]int64, t.block.size)
	}
	for k := len(t.order) - 1; k >= level; k-- {
		x := &t.axes[t.order[k]]
		regions, moves := x.program()
		group := stride * (1 + len(x.tests))
		for _, m := range moves {
			m.stride, m.group = stride, group
			t.block.moves = append(t.block.moves, m)
		}
		for id, atom := range t.patterns.atoms(level, k) {
			t.block.place[id] += int32(regions[atom] * stride)
		}
		for i := range t.block.formulaCosts {
			t.block.formulaCosts[i] += t.optionCosts[k][i/stride%(1+len(x.tests))]
		}
		stride = group
	}
}

// program returns the moves that turn sums by atom of the axis into sums by option, in place. A
// block of the table has one region of memory for each option. Before the moves, the sum of atom a
// must be in region regions[a].
func (x *axis) program() (regions []int, moves []move) {
	// If a test consists of one atom, this atom is placed in the region of the test. The other atoms
	// are placed in the remaining regions, and saved before these regions are overwritten.
	regions = make([]int, x.atoms)
	for a := range regions {
		regions[a] = -1
	}
	options := make([][]uint16, 1, 1+len(x.tests))
	for a := range x.atoms {
		options[0] = append(options[0], uint16(a))
	}
	options = append(options, x.tests...)
	var open []int
	for o, atoms := range options {
		if len(atoms) == 1 {
			regions[atoms[0]] = o
		} else {
			open = append(open, o)
		}
	}
	displaced := make([]bool, x.atoms)
	for a, free := 0, open; a < x.atoms; a++ {
		if regions[a] < 0 {
			regions[a], free = free[0], free[1:]
			displaced[a] = true
			moves = append(moves, move{kind: moveSave, to: regions[a], from: regions[a]})
		}
	}
	before := -1 // the option that was computed last
	for _, o := range open {
		base, add, subtract := 0, slices.Clone(options[o]), []uint16(nil)
		if own := slices.IndexFunc(add, func(a uint16) bool { return regions[a] == o }); own > 0 {
			add[0], add[own] = add[own], add[0]
		}
		for _, from := range []int{before, 0} {
			if from < 0 || o == 0 {
				continue
			}
			plus, minus := difference(options[o], options[from])
			if 1+len(plus)+len(minus) < len(add)+len(subtract) {
				base, add, subtract = 1+from, plus, minus
			}
		}
		kind := moveCopy
		if base > 0 {
			moves = append(moves, move{kind: moveCopy, to: o, from: base - 1})
			kind = moveAdd
		}
		for _, a := range add {
			moves = append(moves, move{kind: kind, to: o, from: regions[a], displaced: displaced[a]})
			kind = moveAdd
		}
		for _, a := range subtract {
			moves = append(moves, move{kind: moveSubtract, to: o, from: regions[a], displaced: displaced[a]})
		}
		before = o
	}
	return regions, withoutRedundant(moves)
}

// withoutRedundant removes pairs of moves that have no effect: one saves the rows of a region, the
// other copies them back to the same region, and nothing else uses the saved rows.
func withoutRedundant(moves []move) []move {
	uses := map[int]int{} // number of uses of each saved region
	for _, m := range moves {
		if m.displaced {
			uses[m.from]++
		}
	}
	idle := map[int]bool{}
	for _, m := range moves {
		if m.displaced && m.kind == moveCopy && m.to == m.from && uses[m.from] == 1 {
			idle[m.from] = true
		}
	}
	return slices.DeleteFunc(moves, func(m move) bool {
		return idle[m.from] && (m.kind == moveSave || m.displaced)
	})
}

// difference returns the elements that only the first list contains (more), and those that only the
// second list contains (less). Both lists must be in ascending order.
func difference(list, other []uint16) (more, less []uint16) {
	for len(list) > 0 || len(other) > 0 {
		switch {
		case len(other) == 0 || len(list) > 0 && list[0] < other[0]:
			more, list = append(more, list[0]), list[1:]
		case len(list) == 0 || other[0] < list[0]:
			less, other = append(less, other[0]), other[1:]
		default:
			list, other = list[1:], other[1:]
		}
	}
	return more, less
}

// transform computes the costs of the formulas in one block of the table. The parameter f is the
// live set at the level of the block, and settled is the cost that the options on earlier axes
// determine. The results are stored in out, whose entries must be 0 before the call.
func (w *tabulator) transform(f liveSet, settled int64, out []int64) {
	b := &w.block
	for i, id := range f.ids {
		out[b.place[id]] = f.d[i]
	}
	for i := range b.moves {
		b.moves[i].apply(out, w.displaced)
	}
	for i := range out {
		out[i] += settled
	}
	for i, cost := range b.formulaCosts {
		out[i] += cost
	}
}

// apply applies the move to a block of the table of costs. The buffer displaced holds rows that one
// move saves for a later move.
func (m *move) apply(block, displaced []int64) {
	into, source := block, block
	if m.displaced {
		source = displaced
	}
	if m.kind == moveSave {
		into = displaced
	}
	for g := 0; g < len(block); g += m.group {
		to, from := into[g+m.to*m.stride:][:m.stride], source[g+m.from*m.stride:][:m.stride]
		switch m.kind {
		case moveAdd:
			for i, v := range from {
				to[i] += v
			}
		case moveSubtract:
			for i, v := range from {
				to[i] -= v
			}
		default:
			copy(to, from)
		}
	}
}
