package copula

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// normals returns n samples of a normal vector with k components. Every two of them have the correlation rho, which must
// not be negative.
func normals(n, k int, rho float64, r *rand.Rand) [][]float64 {
	of := make([][]float64, k)
	for range n {
		common := r.NormFloat64() * math.Sqrt(rho)
		for j := range of {
			of[j] = append(of[j], common+r.NormFloat64()*math.Sqrt(1-rho))
		}
	}
	return of
}

// divided returns a column of a variable that is divided at the given cuts.
func divided(x []float64, cuts ...float64) Column {
	c := Column{Size: len(cuts) + 1, Ordered: len(cuts) + 1}
	for _, v := range x {
		at, _ := slices.BinarySearch(cuts, v)
		c.Codes = append(c.Codes, uint16(at))
	}
	return c
}

// correlation returns the correlation of two variables.
func correlation(x, y []float64) float64 {
	n := float64(len(x))
	var sx, sy, xx, yy, xy float64
	for i := range x {
		sx, sy = sx+x[i], sy+y[i]
		xx, yy, xy = xx+x[i]*x[i], yy+y[i]*y[i], xy+x[i]*y[i]
	}
	return (xy/n - sx*sy/n/n) / math.Sqrt((xx/n-sx*sx/n/n)*(yy/n-sy*sy/n/n))
}

// placed returns the numbers x of the records, rearranged within each value of the column in the order of the ranks.
func placed(c Column, x []float64, ranks []int32) []float64 {
	of, out := make([][]float64, c.Size), make([]float64, len(x))
	for i, v := range c.Codes {
		of[v] = append(of[v], x[i])
	}
	for v := range of {
		slices.Sort(of[v])
	}
	for i, v := range c.Codes {
		out[i] = of[v][ranks[i]]
	}
	return out
}

// Ranks restores the correlations of normal variables that are divided into a few intervals. Within intervals, the ranks
// of the records have nearly the correlations of the variables, too.
func TestRanksRestoreCorrelations(t *testing.T) {
	for _, c := range []struct {
		rho    float64
		cuts   []float64
		within float64 // tolerance
	}{{0, []float64{0}, .02}, {.3, []float64{-1, 1}, .02}, {.6, []float64{-.5, .5}, .02}, {.9, []float64{-1, 0, 1}, .02}, {.6, []float64{1.4}, .1}} {
		x := normals(100_000, 3, c.rho, rand.New(rand.NewPCG(5, 5)))
		columns := []Column{divided(x[0], c.cuts...), divided(x[1], c.cuts...), divided(x[2], c.cuts...)}
		ranks, err := Ranks(t.Context(), 2, columns)
		if err != nil {
			t.Fatal(err)
		}
		var back [][]float64
		for j := range columns {
			back = append(back, placed(columns[j], x[j], ranks[j]))
		}
		inside := func(of [][]float64) float64 { // the correlation of records in the last interval of the first two columns
			var a, b []float64
			for i := range of[0] {
				if last := uint16(len(c.cuts)); columns[0].Codes[i] == last && columns[1].Codes[i] == last {
					a, b = append(a, of[0][i]), append(b, of[1][i])
				}
			}
			return correlation(a, b)
		}
		if got := correlation(back[0], back[1]); math.Abs(got-c.rho) > c.within {
			t.Errorf("correlation %v, cuts %v: it becomes %.3f", c.rho, c.cuts, got)
		}
		if got, want := inside(back), inside(x); math.Abs(got-want) > 2*c.within+.02 {
			t.Errorf("correlation %v, cuts %v: in the last intervals it becomes %.3f instead of %.3f", c.rho, c.cuts, got, want)
		}
	}
}

// The ranks of the records with the same value are 0, 1, 2, …, also for values without an order, constant columns, equal
// columns and single records. They do not depend on the number of threads.
func TestRanksAreRanks(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 9))
	codes := func(n, size int) Column {
		c := Column{Size: size, Ordered: size}
		for range n {
			c.Codes = append(c.Codes, uint16(random.IntN(size)))
		}
		return c
	}
	missing := codes(9000, 5)
	missing.Ordered = 4
	unordered := codes(9000, 3)
	unordered.Ordered = 0
	for name, columns := range map[string][]Column{
		"missing": {missing, codes(9000, 2), unordered},
		"equal":   {missing, missing, missing},
		"constant": {codes(500, 1), codes(500, 4),
			{Codes: slices.Repeat([]uint16{2}, 500), Size: 3, Ordered: 2}}, // no record has an ordered value
		"one record":  {codes(1, 3), codes(1, 2)},
		"two records": {codes(2, 3), codes(2, 2)},
		"one column":  {codes(300, 7)},
	} {
		ranks, err := Ranks(t.Context(), 1, columns)
		if err != nil {
			t.Fatal(err)
		}
		for j, c := range columns {
			seen := make(map[[2]int]bool)
			for i, v := range c.Codes {
				seen[[2]int{int(v), int(ranks[j][i])}] = true
			}
			for v := range c.Size {
				n := 0
				for _, of := range c.Codes {
					if int(of) == v {
						n++
					}
				}
				for r := range n {
					if !seen[[2]int{v, r}] {
						t.Errorf("%s: in column %d no record with value %d has rank %d", name, j, v, r)
					}
				}
			}
		}
		if other, err := Ranks(t.Context(), 3, columns); err != nil || !reflect.DeepEqual(ranks, other) {
			t.Errorf("%s: the ranks depend on the number of threads, or %v", name, err)
		}
	}
}

// Records whose value has no order get ranks by the other columns.
func TestRanksOfMissingNumbers(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	x := normals(20_000, 2, .8, random)
	first, second := divided(x[0], -1, 0, 1), divided(x[1], -1, 0, 1)
	second.Size = 5
	var numbers, place []float64
	for i := range second.Codes {
		if random.IntN(2) == 0 {
			second.Codes[i] = 4
		}
	}
	ranks, err := Ranks(t.Context(), 1, []Column{first, second})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range second.Codes {
		if v == 4 {
			numbers, place = append(numbers, x[0][i]), append(place, float64(ranks[1][i]))
		}
	}
	if c := correlation(numbers, place); c < .6 || c > .85 {
		t.Errorf("the ranks of missing numbers have the correlation %.3f with the other column", c)
	}
}

// Ranks ends with its context.
func TestRanksEndWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Ranks(ctx, 1, []Column{{Codes: []uint16{0, 1}, Size: 2, Ordered: 2}}); err != context.Canceled {
		t.Error(err)
	}
}

func BenchmarkRanks(b *testing.B) {
	var columns []Column
	for _, x := range normals(100_000, 6, .5, rand.New(rand.NewPCG(5, 5))) {
		columns = append(columns, divided(x, -2, -1.5, -1, -.5, 0, .5, 1, 1.5, 2))
	}
	for b.Loop() {
		if _, err := Ranks(b.Context(), 1, columns); err != nil {
			b.Fatal(err)
		}
	}
}
