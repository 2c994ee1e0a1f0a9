package loglinear

import (
	"math"
	"math/rand/v2"
	"testing"
)

// No other point with the sum and no negative coordinate is nearer.
func TestProjectIsNearest(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	for range 200 {
		n := 1 + random.IntN(6)
		y := make([]float64, n)
		for i := range y {
			y[i] = 10 * random.NormFloat64()
		}
		total := 20 * random.Float64()
		x := Project(y, total)
		sum, near := 0.0, 0.0
		for i := range x {
			if x[i] < 0 {
				t.Fatalf("Project(%v, %v) = %v", y, total, x)
			}
			sum += x[i]
			near += (x[i] - y[i]) * (x[i] - y[i])
		}
		if math.Abs(sum-total) > 1e-9 {
			t.Fatalf("Project(%v, %v) = %v, whose sum is %v", y, total, x, sum)
		}
		for range 50 {
			w, all, far := make([]float64, n), 0.0, 0.0
			for i := range w {
				w[i] = x[i] * (1 + .2*(random.Float64()-.5))
				if random.IntN(3) == 0 {
					w[i] += random.Float64()
				}
				all += w[i]
			}
			for i := range w {
				d := w[i]*total/max(all, 1e-12) - y[i]
				far += d * d
			}
			if far < near-1e-9 && all > 0 {
				t.Fatalf("Project(%v, %v) = %v, but %v is nearer", y, total, x, w)
			}
		}
	}
	for _, v := range Project([]float64{3, -1}, -5) {
		if v != 0 {
			t.Errorf("rows of a negative total: %v", v)
		}
	}
}

// A share gets its part of the places, rounded up or down, and nothing if it is 0.
func TestQuota(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 1))
	for range 300 {
		n, k := random.IntN(40), 1+random.IntN(7)
		shares, sum := make([]float64, k), 0.0
		for i := range shares {
			if random.IntN(3) > 0 {
				shares[i] = random.Float64()
			}
			sum += shares[i]
		}
		many := make([]int, k)
		for _, i := range Quota(n, shares, random.Float64()) {
			many[i]++
		}
		all := 0
		for i, m := range many {
			all += m
			if want := float64(n) * shares[i] / sum; sum > 0 && math.Abs(float64(m)-want) >= 1+1e-9 {
				t.Fatalf("%v: share %d has %d of %d places", shares, i, m, n)
			}
			if sum > 0 && shares[i] == 0 && m > 0 {
				t.Fatalf("%v: share %d is 0 and has %d places", shares, i, m)
			}
		}
		if all != n {
			t.Fatalf("%d places, want %d", all, n)
		}
	}
}
