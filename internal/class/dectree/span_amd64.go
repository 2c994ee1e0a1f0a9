//go:build !purego

package dectree

import (
	"golang.org/x/sys/cpu"

	"github.com/sibyl-dp/sibyl/internal/class/decay"
)

// The kernels with vector instructions return the same results as the portable kernels.

// spanAVX2 computes the span of the list x with AVX2 instructions. The list must have at least
// eight numbers. The parameter near holds the upper bounds e(0), e(1), … on e^{-λc} (see
// decay.Table). For c beyond the list near, the last entry of near is used.
//
//go:noescape
func spanAVX2(x []int32, near []float64) (low, high int32, up, down float64)

// subtractAVX2 computes table minus less, entry by entry, with AVX2 instructions, and stores the
// result in out. The number of entries must be a multiple of eight.
//
//go:noescape
func subtractAVX2(out, table, less []int32)

func vector() (kernel[int32], bool) {
	return kernel[int32]{spans: vectorSpan, subtract: vectorSubtract, count: count[int32]}, cpu.X86.HasAVX2
}

func vectorSpan(x []int32, d *decay.Table) (s span[int32]) {
	if len(x) < 8 || d.Small == nil {
		return portableSpan(x, d)
	}
	s.low, s.high, s.up, s.down = spanAVX2(x, d.Small)
	return s
}

func vectorSubtract(out, table, less []int32) {
	n := len(out) &^ 7
	subtractAVX2(out[:n], table[:n], less[:n])
	portableSubtract(out[n:], table[n:], less[n:])
}
