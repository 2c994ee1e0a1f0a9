package parity

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// slow is the textbook transform, which computes one level after another.
func slow(t []int64) {
	for half := 1; half < len(t); half *= 2 {
		for i := range t {
			if i&half == 0 {
				t[i], t[i|half] = t[i]+t[i|half], t[i]-t[i|half]
			}
		}
	}
}

func TestTransform(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for width := range 21 {
		fast := make([]int64, 1<<width)
		for i := range fast {
			fast[i] = int64(rng.Uint64())
		}
		want := slices.Clone(fast)
		transform(fast)
		slow(want)
		if !slices.Equal(fast, want) {
			t.Errorf("width %d: another transform", width)
		}
	}
}

// The textbook transform agrees with the definition.
func TestSlowTransform(t *testing.T) {
	in := make([]int64, 32)
	for i := range in {
		in[i] = int64(i*i%17) - 5
	}
	out := slices.Clone(in)
	slow(out)
	for s, got := range out {
		want := int64(0)
		for x, w := range in {
			want += signed(w, uint64(s&x))
		}
		if got != want {
			t.Errorf("place %d: %d, not %d", s, got, want)
		}
	}
}
