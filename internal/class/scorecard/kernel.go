package scorecard

// A cell is an entry of a slot's table: int32 where the absolute costs of all
// records together stay below 2^28, int64 otherwise.
type cell interface{ int32 | int64 }

// lanes is how many cells a vector kernel takes at a time. The room of a table
// is rounded up to a multiple of it.
const lanes = 16

// pad is what a table holds where no total is reachable. It exceeds every sum
// of real entries, and twice pad does not overflow.
func pad[T cell]() T {
	var z T
	if _, ok := any(z).(int32); ok {
		return T(1<<30 - 1)
	}
	var big int64 = 1<<62 - 1
	return T(big)
}

// never is below every sum of two cells.
func never[T cell]() T { return -2*pad[T]() - 2 }

// A merge adds the table of slot u, shifted, to that of slot z and puts the
// sum in the table of slot out. Positions are in the arena, that of u with the
// shift for value 0; minima are kept by slot number. Assembly knows this
// layout.
type merge struct {
	u, z, out          int32
	uMin, zMin, outMin int32
}

// A batch is the merges of one step between tables of one size.
type batch[T cell] struct {
	merges []merge
	window
	masks []T // of each value from lo on, or one for all if each is 0
	each  int
	cells int // room for the entries of a table
	// With a limit on the norm, narrow[r] is where the masks begin that keep to
	// the totals which r, what is left of it, allows.
	narrow []int32
}

// mask returns what bounds the sums of the merges at a value from below: pad
// where the shifted table has no entry, and no bound where it has one. It also
// keeps the cells behind a table's end, which hold anything, out of the minima.
func (b *batch[T]) mask(value, left int) []T {
	at := (value - b.lo) * b.each
	if b.narrow != nil {
		at += int(b.narrow[left])
	}
	return b.masks[at:][:b.cells]
}

// A kernel does merges at a value and returns by how much the sum of the
// slots' minima grows. It stops early once the growth exceeds room, and then
// returns the growth so far: every merge's growth is at least 0. The mask has
// as many entries as the tables.
type kernel[T cell] func(merges []merge, arena, mins, mask []T, value int, room int64) int64

// portable is the kernel that all others must equal.
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

// fastest returns the fastest kernel that the machine has.
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

// run does all merges of a step, as a kernel does those of a batch, with so much
// of the norm left where that is limited.
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
