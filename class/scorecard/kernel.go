package scorecard

// A cell is an entry of a slot's table: int32 where the absolute costs of all
// records together stay below 2^28, int64 otherwise.
type cell interface{ int32 | int64 }

// lanes is how many cells a vector kernel takes at a time. Tables are padded
// to a multiple of it.
const lanes = 8

// pad is what table entries outside the reachable totals hold. It exceeds
// every sum of real entries, and twice pad does not overflow.
func pad[T cell]() T {
	var z T
	if _, ok := any(z).(int32); ok {
		return T(1<<30 - 1)
	}
	var big int64 = 1<<62 - 1
	return T(big)
}

// A merge adds the table of slot u, shifted, to that of slot z and puts the
// sum where slot out lives. Positions are in the arena, with the shift for
// value 0; minima are kept by slot number.
type merge struct {
	u, z, out          int32
	uMin, zMin, outMin int32
	cells              int32 // entries to compute, a multiple of lanes
}

// run does the merges at the given value and returns by how much the sum of
// the slots' minima grows. It stops early once the growth exceeds room, and
// then returns the growth so far: every merge's growth is at least 0.
func run[T cell](ops []merge, arena, mins []T, value int, room int64) int64 {
	grown := int64(0)
	most := pad[T]()
	for i := range ops {
		op := &ops[i]
		n := int(op.cells)
		u := arena[int(op.u)+value:][:n]
		z := arena[op.z:][:n]
		out := arena[op.out:][:n]
		least := most
		for k, a := range u {
			s := min(a+z[k], most)
			out[k] = s
			least = min(least, s)
		}
		mins[op.outMin] = least
		grown += int64(least) - int64(mins[op.uMin]) - int64(mins[op.zMin])
		if grown > room {
			return grown
		}
	}
	return grown
}
