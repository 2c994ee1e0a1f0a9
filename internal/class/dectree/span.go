package dectree

// A span of numbers x holds their minimum x₋ (low) and maximum x₊ (high), up = Σ e(x - x₋) and down
// = Σ e(x₊ - x).
type span[T cell] struct {
	low, high T
	up, down  float64
}

// A kernel holds the functions that dominate the running time.
type kernel[T cell] struct {
	// spans returns the span of at least one number. All kernels add in the same order (see
	// blocks), so that they return the same floats.
	spans func(x []T, d *decays) span[T]
	// subtract sets out to table minus less; all three have the same length.
	subtract func(out, table, less []T)
	// count adds a record, given by its columns and its differences, to a table by columns.
	count func(p *plan, table []T, columns []int32, differences []T)
}

func portable[T cell]() kernel[T] {
	return kernel[T]{spans: portableSpan[T], subtract: portableSubtract[T], count: count[T]}
}

// fastest returns the fastest kernel that the processor supports.
func fastest() kernel[int32] {
	if k, ok := vector(); ok {
		return k
	}
	return portable[int32]()
}

// blocks is the number of partial sums: number i is added to partial sum i modulo blocks, and the
// partial sums are then added in pairs.
const blocks = 4

func portableSpan[T cell](x []T, d *decays) span[T] {
	s := span[T]{low: x[0], high: x[0]}
	for _, x := range x {
		s.low, s.high = min(s.low, x), max(s.high, x)
	}
	var up, down [blocks]float64
	if small := d.small; small != nil {
		for i, x := range x {
			up[i%blocks] += small[min(int64(x-s.low), int64(len(small)-1))]
			down[i%blocks] += small[min(int64(s.high-x), int64(len(small)-1))]
		}
	} else {
		for i, x := range x {
			up[i%blocks] += d.at(int64(x - s.low))
			down[i%blocks] += d.at(int64(s.high - x))
		}
	}
	s.up, s.down = (up[0]+up[1])+(up[2]+up[3]), (down[0]+down[1])+(down[2]+down[3])
	return s
}

func portableSubtract[T cell](out, table, less []T) {
	table, less = table[:len(out)], less[:len(out)]
	for i, c := range table {
		out[i] = c - less[i]
	}
}
