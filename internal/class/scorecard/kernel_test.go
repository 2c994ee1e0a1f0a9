package scorecard

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// FuzzKernels compares the vector kernels with the portable one: tables, minima and growth must be
// equal, also if they stop early.
func FuzzKernels(f *testing.F) {
	for seed := range uint64(64) {
		f.Add(seed, uint16(seed*5+1), int64(seed*1000), seed%4 == 0)
	}
	f.Fuzz(func(t *testing.T, seed uint64, n uint16, room int64, endless bool) {
		if endless {
			room = math.MaxInt64
		}
		entries := 1 + int(n%200)
		for name, k := range kernels32() {
			compareKernels(t, name, k, seed, entries, room, 1<<20)
			compareKernels(t, name, k, seed, entries, room, 1<<2)
		}
		for name, k := range kernels64() {
			compareKernels(t, name, k, seed, entries, room, 1<<20)
			compareKernels(t, name, k, seed, entries, room, 1<<52)
		}
	})
}

// compareKernels performs random merges with a kernel and with the portable one.
func compareKernels[T cell](t *testing.T, name string, k kernel[T], seed uint64, entries int, limit, size int64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 0))
	cells := paddedSize(entries)
	span := rng.IntN(2*lanes + 1)
	b := &builder[T]{span: span, masks: map[readRange][]T{}}
	shifted := readRange{n: int32(entries), tableSize: int32(entries), lo: -span, hi: span}
	bt := batch[T]{readRange: shifted, cells: cells, masks: b.mask(shifted), maskStride: cells}

	tables, merges := 40, rng.IntN(30)
	arena := make([]T, 2*paddedSize(span)+(tables+merges)*cells)
	for i := range arena {
		arena[i] = T(rng.Int64N(2*size) - size)
		if rng.IntN(4) == 0 {
			arena[i] = pad[T]()
		}
	}
	mins := make([]T, tables+merges)
	at := func(i int) int32 { return int32(paddedSize(span) + i*cells) }
	for i := range tables {
		mins[i] = slices.Min(arena[at(i):][:entries])
	}
	for i := range merges {
		u, z := rng.IntN(tables+i), rng.IntN(tables+i)
		bt.merges = append(bt.merges, merge{
			u: at(u), z: at(z), out: at(tables + i),
			uMin: int32(u), zMin: int32(z), outMin: int32(tables + i),
		})
	}
	value := rng.IntN(2*span+1) - span

	// If half of the merges grow by exactly the limit, the kernels must not stop before the limit
	// is exceeded.
	half := []batch[T]{bt}
	half[0].merges = bt.merges[:len(bt.merges)/2]
	reached := kernel[T](portable[T]).run(half, slices.Clone(arena), slices.Clone(mins), value, 0, math.MaxInt64)
	for _, limit := range []int64{limit, reached} {
		wantArena, wantMins := slices.Clone(arena), slices.Clone(mins)
		want := kernel[T](portable[T]).run([]batch[T]{bt}, wantArena, wantMins, value, 0, limit)
		gotArena, gotMins := slices.Clone(arena), slices.Clone(mins)
		got := k.run([]batch[T]{bt}, gotArena, gotMins, value, 0, limit)
		if got != want {
			t.Errorf("%s: growth %d, not %d", name, got, want)
		}
		if !slices.Equal(gotMins, wantMins) {
			t.Errorf("%s: minima differ", name)
		}
		if !slices.Equal(gotArena, wantArena) {
			t.Errorf("%s: tables differ", name)
		}
	}
}

func BenchmarkKernel(b *testing.B) {
	b.Run("portable", func(b *testing.B) { benchmarkKernel(b, portable[int32]) })
	for name, k := range kernels32() {
		b.Run(name, func(b *testing.B) { benchmarkKernel(b, k) })
	}
	b.Run("wide", func(b *testing.B) { benchmarkKernel(b, portable[int64]) })
	for name, k := range kernels64() {
		b.Run(name, func(b *testing.B) { benchmarkKernel(b, k) })
	}
}

// benchmarkKernel performs 100 merges of tables of 32 cells.
func benchmarkKernel[T cell](b *testing.B, k kernel[T]) {
	const tables, cells = 300, 32
	arena, mins := make([]T, (tables+2)*cells), make([]T, tables)
	bld := &builder[T]{masks: map[readRange][]T{}}
	mask := bld.mask(readRange{n: cells - 3, tableSize: cells - 3, lo: -2, hi: 2})[:cells]
	var merges []merge
	for i := range int32(100) {
		u, z, out := i*7%200, i*13%200, 200+i
		merges = append(merges, merge{(u + 1) * cells, (z + 1) * cells, (out + 1) * cells, u, z, out})
	}
	for b.Loop() {
		k(merges, arena, mins, mask, -2, math.MaxInt64)
	}
}
