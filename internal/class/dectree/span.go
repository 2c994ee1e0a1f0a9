package dectree

import "github.com/sibyl-dp/sibyl/internal/class/decay"

// A span describes a list of numbers x by the minimum (low), the maximum (high) and two sums: up is
// the sum of e(x - low), and down is the sum of e(high - x). Here e(c) is an upper bound on e^{-λc}
// (see decay.Table).
type span[T cell] struct {
	low, high T
	up, down  float64
}

// A kernel holds the functions that take most of the running time of the class, in a portable
// version or with vector instructions.
type kernel[T cell] struct {
	// spans returns the span of the list x: minimum, maximum and two sums. The list must not be empty. All kernels
	// add in the same order (see blocks), so they return the same floating-point numbers.
	spans func(x []T, d *decay.Table) span[T]
	// subtract sets each entry of out to the entry of table minus the entry of less. All three have
	// the same length.
	subtract func(out, table, less []T)
	// count adds a record to a table by columns. columns holds the record's column of each group,
	// and differences holds its differences.
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

// blocks is the number of partial sums that spans uses to add a list of numbers, in the order that
// vector instructions need. Number i is added to partial sum i modulo blocks, and at the end the
// partial sums are added in pairs.
const blocks = 4

func portableSpan[T cell](x []T, d *decay.Table) span[T] {
	s := span[T]{low: x[0], high: x[0]}
	for _, x := range x {
		s.low, s.high = min(s.low, x), max(s.high, x)
	}
	var up, down [blocks]float64
	if small := d.Small; small != nil {
		for i, x := range x {
			up[i%blocks] += small[min(int64(x-s.low), int64(len(small)-1))]
			down[i%blocks] += small[min(int64(s.high-x), int64(len(small)-1))]
		}
	} else {
		for i, x := range x {
			up[i%blocks] += d.At(int64(x - s.low))
			down[i%blocks] += d.At(int64(s.high - x))
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
