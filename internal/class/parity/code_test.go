package parity_test

import (
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/parity"
	"github.com/sibyl-dp/sibyl/internal/class/parity/paritytest"
)

// leastDistance returns the minimum distance over all pairs of parities.
func leastDistance(c enumerable) int {
	var all [][]bool
	for h := range c.All() {
		all = append(all, class.Separate(c, h))
	}
	least := class.SeparatorBits(c)
	for i := range all {
		for j := range i {
			differ := 0
			for k := range all[i] {
				if all[i][k] != all[j][k] {
					differ++
				}
			}
			least = min(least, differ)
		}
	}
	return least
}

// Distance returns the exact minimum over all pairs.
func TestDistance(t *testing.T) {
	try := func(c paritytest.Case) {
		t.Helper()
		if c.Class.Size().Int64() == 1 {
			return
		}
		if got, want := c.Class.(*parity.Class).Distance(), leastDistance(c.Class); got != want {
			t.Errorf("%v: distance %d, by all pairs %d", c.Class, got, want)
		}
	}
	for _, c := range paritytest.Fixed() {
		try(c)
	}
	for seed := range 300 {
		try(paritytest.Random(classtest.FromSeed(seed), 128))
	}
}

func distance(t testing.TB, d int, o parity.Options) int {
	t.Helper()
	return bits(t, d, o).Distance()
}

func TestHadamard(t *testing.T) {
	for _, d := range []int{1, 2, 3, 7, 12} {
		code, err := parity.Hadamard(d)
		if err != nil {
			t.Fatal(err)
		}
		if len(code) != 1<<d-1 {
			t.Errorf("%d bits: %d points", d, len(code))
		}
		if got := distance(t, d, parity.Options{Code: code}); got != 1<<(d-1) {
			t.Errorf("%d bits: distance %d", d, got)
		}
		// With the additional point 0, the code is the Reed-Muller code of first order.
		if got := distance(t, d, parity.Options{Code: append(code, 0), Affine: true}); got != 1<<(d-1) {
			t.Errorf("%d bits, affine: distance %d", d, got)
		}
	}
	if code, err := parity.Hadamard(24); err != nil || len(code) != 1<<24-1 || code[len(code)-1] != 1<<24-1 {
		t.Errorf("24 bits: %d points, %v", len(code), err)
	}
	for _, d := range []int{-1, 0, 25, 99} {
		if _, err := parity.Hadamard(d); err == nil {
			t.Errorf("%d bits are taken", d)
		}
	}
}

// The greedy codes have the distances below on every machine.
func TestGreedy(t *testing.T) {
	for _, in := range []struct {
		d, m   int
		affine bool
		h      int
	}{
		{5, 10, false, 4},
		{10, 20, false, 6},
		{10, 40, false, 14},
		{10, 40, true, 13},
		{14, 56, false, 18},
		{14, 56, true, 17},
	} {
		code, err := parity.Greedy(in.d, in.m, in.affine)
		if err != nil {
			t.Fatal(err)
		}
		if got := distance(t, in.d, parity.Options{Code: code, Affine: in.affine}); got != in.h {
			t.Errorf("%d points for %d bits, affine %v: distance %d, not %d", in.m, in.d, in.affine, got, in.h)
		}
	}
	for _, in := range [][2]int{{0, 5}, {25, 99}, {6, 5}, {-1, 5}} {
		if _, err := parity.Greedy(in[0], in[1], false); err == nil {
			t.Errorf("%d bits and %d points are taken", in[0], in[1])
		}
	}
	if _, err := parity.Greedy(6, 6, true); err == nil {
		t.Error("6 points for 6 bits and a constant are taken")
	}
}
