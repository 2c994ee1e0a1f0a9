//go:build !purego

package loglinear

import "golang.org/x/sys/cpu"

// The vector kernels do not check that a column has enough rows, nor that its values are within its table.

//go:noescape
func byFourAVX2(p []float32, width int, others []other, row int)

//go:noescape
func byOneAVX2(p []float32, width int, o *other, row int)

func multiplyByFour(p []float32, width int, others []other, row int) {
	if cpu.X86.HasAVX2 {
		byFourAVX2(p, width, others, row)
	} else {
		portableByFour(p, width, others, row)
	}
}

func multiplyByOne(p []float32, width int, o *other, row int) {
	if cpu.X86.HasAVX2 {
		byOneAVX2(p, width, o, row)
	} else {
		portableByOne(p, width, o, row)
	}
}
