package parity

import (
	"context"
	"runtime"

	"github.com/sibyl-dp/sibyl/internal/parallel"
)

// transform replaces t, of a power of two of numbers, by its Walsh-Hadamard
// transform: t'(S) = Σ_x t(x)·χ_S(x), modulo 2^64. It takes three levels of
// butterflies in each pass and goes on within each eighth before it turns to
// the next, so that all but the first passes find what they need in a cache.
// Large ones are shared among GOMAXPROCS goroutines, at most eight at a time.
func transform(t []int64) {
	if len(t) < parallelFrom {
		transformHere(t)
		return
	}
	eighth := len(t) / 8
	part := eighth / 64
	each(64, func(i int) { columns(t, i*part, (i+1)*part) })
	each(8, func(i int) { transformHere(t[i*eighth : (i+1)*eighth]) })
}

// parallelFrom is the size from which goroutines pay.
const parallelFrom = 1 << 18

// each calls f for 0..n-1 from several goroutines and waits for all of them.
func each(n int, f func(i int)) {
	parallel.Do(context.Background(), runtime.GOMAXPROCS(0), n, func() func(int) { return f })
}

// transformHere is transform in this goroutine.
func transformHere(t []int64) {
	n := len(t)
	switch {
	case n == 64:
		columns(t, 0, 8)
		rows(t)
	case n > 64:
		columns(t, 0, n/8)
		for i := 0; i < n; i += n / 8 {
			transformHere(t[i : i+n/8])
		}
	case n == 8:
		rows(t)
	case n > 1:
		a, b := t[:n/2], t[n/2:]
		for i := range a {
			a[i], b[i] = a[i]+b[i], a[i]-b[i]
		}
		transformHere(a)
		transformHere(b)
	}
}

// columns does the three highest levels of butterflies, at the places from..to
// of each eighth.
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

// rows transforms each eight neighbours.
func rows(t []int64) {
	for len(t) >= 8 {
		r := (*[8]int64)(t)
		r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7] = eight(r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7])
		t = t[8:]
	}
}

// eight is the transform of eight numbers.
func eight(a, b, c, d, e, f, g, h int64) (int64, int64, int64, int64, int64, int64, int64, int64) {
	a, b, c, d, e, f, g, h = a+e, b+f, c+g, d+h, a-e, b-f, c-g, d-h
	a, b, c, d, e, f, g, h = a+c, b+d, a-c, b-d, e+g, f+h, e-g, f-h
	return a + b, a - b, c + d, c - d, e + f, e - f, g + h, g - h
}
