//go:build !purego

package scorecard

import "golang.org/x/sys/cpu"

// The vector kernels compute the same results as portable. They do not check the indices of the
// merges, which come from a builder.

//go:noescape
func mergeAVX2(merges []merge, arena, mins, mask []int32, value int, room int64) int64

//go:noescape
func mergeAVX512(merges []merge, arena, mins, mask []int32, value int, room int64) int64

//go:noescape
func mergeAVX512Wide(merges []merge, arena, mins, mask []int64, value int, room int64) int64

func vector32() kernel[int32] {
	switch {
	case hasAVX512():
		return mergeAVX512
	case cpu.X86.HasAVX2:
		return mergeAVX2
	}
	return nil
}

func vector64() kernel[int64] {
	if hasAVX512() {
		return mergeAVX512Wide
	}
	return nil
}

func hasAVX512() bool { return cpu.X86.HasAVX512F && cpu.X86.HasAVX2 }
