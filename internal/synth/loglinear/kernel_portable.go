//go:build !amd64 || purego

package loglinear

func multiplyByFour(p []float32, width int, others []other, row int) {
	portableByFour(p, width, others, row)
}

func multiplyByOne(p []float32, width int, o *other, row int) { portableByOne(p, width, o, row) }
