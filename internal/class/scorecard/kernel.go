package scorecard

// A cell is an entry of a table: int32 if the absolute costs of all records sum to less than 2^28,
// otherwise int64.
type cell interface{ int32 | int64 }

// lanes is the number of cells that a vector kernel processes at a time. The allocated size of a
// table is a multiple of it.
const lanes = 16

// pad is the entry of a table for a total that cannot occur. It exceeds every sum of valid entries,
// and 2·pad does not overflow.
func pad[T cell]() T {
	var z T
	if _, ok := any(z).(int32); ok {
		return T(1<<30 - 1)
	}
	var big int64 = 1<<62 - 1
	return T(big)
}

// never returns a value below every sum of two cells.
func never[T cell]() T { return -2*pad[T]() - 2 }

// A merge adds the shifted table of slot u to the table of slot z and stores the sums in the table
// of slot out. u, z and out are indices in the arena, u including the shift for value 0. uMin, zMin
// and outMin are slot numbers, which index the minima of the tables. The assembly kernels rely on
// this layout.
type merge struct {
	u, z, out          int32
	uMin, zMin, outMin int32
}

// A batch holds the merges of one step between tables of one size.
type batch[T cell] struct {
	merges []merge
	window
	masks      []T // the masks of all values from lo on; a single mask if lo = hi
	maskStride int // the distance between the masks of consecutive values
	cells      int // the allocated size of a table
	// With a limit on the norm, maskOffsets[r] is the index of the first mask for a remaining norm
	// r; nil without a limit.
	maskOffsets []int32
}

// mask returns the lower bounds that a kernel applies to the sums of a merge: pad if the shifted
// table has no entry, and no bound if it has one. left is the remaining norm. The bounds also
// exclude the cells after the end of a table from the minima.
func (b *batch[T]) mask(value, left int) []T {
	at := (value - b.lo) * b.maskStride
	if b.maskOffsets != nil {
		at += int(b.maskOffsets[left])
	}
	return b.masks[at:][:b.cells]
}

// A kernel performs merges for a value and returns the increase of the sum of the slots' minima. It
// stops early if the increase exceeds room, and then returns the increase so far; every merge
// increases the sum by at least 0. The mask has as many entries as the tables.
type kernel[T cell] func(merges []merge, arena, mins, mask []T, value int, room int64) int64

// portable is the reference kernel. All other kernels must return the same results.
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

// fastest returns the fastest kernel that the processor supports.
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

// run performs all merges of a step, as a kernel does for one batch. left is the remaining norm, if
// it is limited.
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
