package parity

import (
	"context"
	"runtime"

	"github.com/sibyl-dp/sibyl/internal/parallel"
)

// transform replaces t by its Walsh-Hadamard transform: the entry with index S becomes Σ_x
// t(x)·(-1)^{|S∩x|}, modulo 2^64, where indices are sets of bits. The length of t must be a power
// of two. Each pass computes three levels of butterflies, and then recurses into each eighth of the
// table in turn, so that after a few passes the data fits into a cache. Large tables use up to
// GOMAXPROCS goroutines for the first pass, and at most eight for its eighths.
func transform(t []int64) {
	if len(t) < parallelFrom {
		transformSequential(t)
		return
	}
	eighth := len(t) / 8
	part := eighth / 64
	parallelDo(64, func(i int) { columns(t, i*part, (i+1)*part) })
	parallelDo(8, func(i int) { transformSequential(t[i*eighth : (i+1)*eighth]) })
}

// parallelFrom is the least length of a table for which several goroutines are faster than one.
const parallelFrom = 1 << 18

// parallelDo calls f(0), …, f(n-1) from several goroutines and waits for them.
func parallelDo(n int, f func(i int)) {
	parallel.Do(context.Background(), runtime.GOMAXPROCS(0), n, func() func(int) { return f })
}

// transformSequential computes the same result as transform in the current goroutine.
func transformSequential(t []int64) {
	n := len(t)
	switch {
	case n == 64:
		columns(t, 0, 8)
		rows(t)
	case n > 64:
		columns(t, 0, n/8)
		for i := 0; i < n; i += n / 8 {
			transformSequential(t[i : i+n/8])
		}
	case n == 8:
		rows(t)
	case n > 1:
		a, b := t[:n/2], t[n/2:]
		for i := range a {
			a[i], b[i] = a[i]+b[i], a[i]-b[i]
		}
		transformSequential(a)
		transformSequential(b)
	}
}

// columns computes the three highest levels of butterflies of the Walsh-Hadamard transform for a
// part of the table: the entries with the indices from, …, to-1 in each eighth of the table.
func columns(t []int64, from, to int) {
	eighth, n := len(t)/8, to-from
	t = t[from:]
	a := t[:n]
	b := t[1*eighth:][:n]
	c := t[2*eighth:][:n]
	d := t[3*eighth:][:n]
	e := t[4*eighth:][:n]
	f := t[5*eighth:][:n]
	g := t[6*eighth:][:n]
	h := t[7*eighth:][:n]
	for i := range a {
		a[i], b[i], c[i], d[i], e[i], f[i], g[i], h[i] = eight(a[i], b[i], c[i], d[i], e[i], f[i], g[i], h[i])
	}
}

// rows replaces each block of eight consecutive numbers by its Walsh-Hadamard transform.
func rows(t []int64) {
	for len(t) >= 8 {
		r := (*[8]int64)(t)
		r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7] = eight(r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7])
		t = t[8:]
	}
}

// eight returns the Walsh-Hadamard transform of the eight numbers a to h.
func eight(a, b, c, d, e, f, g, h int64) (int64, int64, int64, int64, int64, int64, int64, int64) {
	a, b, c, d, e, f, g, h = a+e, b+f, c+g, d+h, a-e, b-f, c-g, d-h
	a, b, c, d, e, f, g, h = a+c, b+d, a-c, b-d, e+g, f+h, e-g, f-h
	return a + b, a - b, c + d, c - d, e + f, e - f, g + h, g - h
}
