package dectree

// A span tells the least x₋ and the greatest x₊ of a few numbers x, and up = Σ e(x - x₋)
// and down = Σ e(x₊ - x).
type span[T cell] struct {
	low, high T
	up, down  float64
}

// A kernel does what takes all the time.
type kernel[T cell] struct {
	// spans returns the span of at least one number. The sums are made in an order that
	// is the same for every kernel: see blocks.
	spans func(x []T, d *decays) span[T]
	// subtract writes the difference of two tables of the length of out.
	subtract func(out, table, less []T)
	// count adds a record, by its columns and its differences, to a table by columns.
	count func(p *plan, table []T, columns []int32, differences []T)
}

func portable[T cell]() kernel[T] {
	return kernel[T]{spans: portableSpan[T], subtract: portableSubtract[T], count: count[T]}
}

// narrow returns the fastest kernel of this processor.
func narrow() kernel[int32] {
	if k, ok := vector(); ok {
		return k
	}
	return portable[int32]()
}

// blocks is the number of sums that are made side by side: number i is added to sum i
// modulo blocks, and these are added up in pairs.
const blocks = 4

func portableSpan[T cell](x []T, d *decays) span[T] {
	s := span[T]{low: x[0], high: x[0]}
	for _, x := range x {
		s.low, s.high = min(s.low, x), max(s.high, x)
	}
	var up, down [blocks]float64
	if near := d.near; near != nil {
		for i, x := range x {
			up[i%blocks] += near[min(int64(x-s.low), int64(len(near)-1))]
			down[i%blocks] += near[min(int64(s.high-x), int64(len(near)-1))]
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
