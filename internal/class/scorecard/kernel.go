package scorecard

// A cell is an entry of a cost table. Its type is int32 if the absolute costs of all records sum to
// less than 2^28, and int64 otherwise.
type cell interface{ int32 | int64 }

// lanes is the number of table entries that a kernel with vector instructions processes at a time.
// The allocated size of a table is a multiple of it.
const lanes = 16

// pad returns the value of table entries for totals that cannot occur. It exceeds every sum of
// valid entries, so a padded entry is never the minimum of a table that has a valid entry, and
// 2·pad does not overflow.
func pad[T cell]() T {
	var z T
	if _, ok := any(z).(int32); ok {
		return T(1<<30 - 1)
	}
	var big int64 = 1<<62 - 1
	return T(big)
}

// never returns a lower bound that has no effect on a stored sum (see batch.mask), because it is
// less than every sum of two cells.
func never[T cell]() T { return -2*pad[T]() - 2 }

// A merge combines two cost tables of a search tree: it adds table u, shifted by the decided value,
// to table z, entry by entry, and stores the sums in table out. The fields u, z and out are the
// indices in the arena at which the tables start; u includes the shift for value 0. The fields
// uMin, zMin and outMin are the numbers of these cost tables, which are also the indices of their
// minima in the list of all minima. The assembly kernels rely on this memory layout.
type merge struct {
	u, z, out          int32
	uMin, zMin, outMin int32
}

// A batch holds those merges of one step whose tables have the same size, so that one call of a
// kernel performs them.
type batch[T cell] struct {
	merges []merge
	readRange
	masks      []T // the masks of the values lo, lo+1, …, hi, concatenated; a single mask if lo = hi
	maskStride int // the number of entries from the start of one mask to the start of the next; 0 for a single mask
	cells      int // the allocated size of a table
	// With a limit on the norm, maskOffsets[r] is the index of the first mask for the remaining
	// norm r. Without a limit it is nil.
	maskOffsets []int32
}

// mask returns the mask of the merges for the given decided value. A mask has a lower bound for
// each entry of a table: a kernel stores this bound if it is greater than the computed sum. An
// entry that must not count for the minimum has the bound pad, because the shifted table has no
// such entry, or because the entry lies after the end of the table. All other entries have the
// bound never, which has no effect.
//
// The parameter left is the remaining squared norm, if the norm is limited.
func (b *batch[T]) mask(value, left int) []T {
	at := (value - b.lo) * b.maskStride
	if b.maskOffsets != nil {
		at += int(b.maskOffsets[left])
	}
	return b.masks[at:][:b.cells]
}

// A kernel performs merges of cost tables for a decided value. It updates the minima of the tables,
// and returns by how much the sum of these minima increases. No merge lowers the sum. If the
// increase exceeds the parameter room, the kernel stops early and returns the increase so far. The
// mask has as many entries as the tables (see batch.mask).
type kernel[T cell] func(merges []merge, arena, mins, mask []T, value int, room int64) int64

// portable is the kernel for merges of cost tables without vector instructions. All other kernels
// must return the same results.
func portable[T cell](merges []merge, arena, mins, mask []T, value int, room int64) int64 {
	grown := int64(0)
	most := pad[T]()
	n := len(mask)
	for i := range merges {
		m := &merges[i]
		u := arena[int(m.u)+value:][:n]
		z := arena[m.z:][:n]
		out := arena[m.out:][:n]
		least := most
		for k, bound := range mask {
			s := min(max(u[k]+z[k], bound), most)
			out[k] = s
			least = min(least, s)
		}
		mins[m.outMin] = least
		grown += int64(least) - int64(mins[m.uMin]) - int64(mins[m.zMin])
		if grown > room {
			break
		}
	}
	return grown
}

// fastest returns the fastest kernel for merges of cost tables that the processor supports.
func fastest[T cell]() kernel[T] {
	k := kernel[T](portable[T])
	switch k := any(&k).(type) {
	case *kernel[int32]:
		if fast := vector32(); fast != nil {
			*k = fast
		}
	case *kernel[int64]:
		if fast := vector64(); fast != nil {
			*k = fast
		}
	}
	return k
}

// run performs the merges of all batches of a step for the decided value. It returns the increase
// of the sum of the tables' minima, and stops early if the increase exceeds the parameter room. The
// parameter left is the remaining squared norm, if the norm is limited.
func (k kernel[T]) run(batches []batch[T], arena, mins []T, value, left int, room int64) int64 {
	grown := int64(0)
	for i := range batches {
		b := &batches[i]
		grown += k(b.merges, arena, mins, b.mask(value, left), value, room-grown)
		if grown > room {
			break
		}
	}
	return grown
}
