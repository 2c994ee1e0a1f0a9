package sumscore_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/sumscore"
	"github.com/sibyl-dp/sibyl/internal/class/sumscore/sumscoretest"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle/oracletest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

type record = []uint16

func suite() classtest.Suite[record, sumscore.Score] {
	return classtest.Suite[record, sumscore.Score]{
		Fixed:  sumscoretest.Fixed(),
		Random: func(draw classtest.Draw) sumscoretest.Case { return sumscoretest.Random(draw, 400) },
		Seeds:  heavy.Pick(70, 300), Wrong: "two groups",
	}
}

func TestTree(t *testing.T) { classtest.Run(t, suite()) }

func FuzzTree(f *testing.F) { classtest.Fuzz(f, suite()) }

func TestOracles(t *testing.T) { oracletest.Own(t, suite()) }

func TestPartial(t *testing.T) {
	for _, c := range sumscoretest.Fixed() {
		classtest.Partial(t, c)
	}
}

func made(t testing.TB, most int, groups ...sumscore.Group) *sumscore.Class {
	t.Helper()
	c, err := sumscore.New(groups, most)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// items returns a group of d attributes with k categories.
func items(d, k int) sumscore.Group {
	g := sumscore.Group{Categories: k}
	for j := range d {
		g.Attributes = append(g.Attributes, j)
	}
	return g
}

// A class has two constant scores and, for each vector of points, one score for each threshold from 1 to the greatest
// sum. A vector counts only if no other vector is a positive multiple of it plus a constant, so each direction of points
// counts once.
func TestVectors(t *testing.T) {
	for _, shape := range []struct{ d, k, most int }{{3, 2, 1}, {3, 2, 2}, {9, 3, 2}, {4, 3, 3}, {9, 4, 2}, {5, 4, 1}, {7, 6, 2}, {12, 11, 1}} {
		c := made(t, shape.most, items(shape.d, shape.k))
		seen := map[string]int{} // the number of scores by their points, up to scale and shift
		for i := range int(c.Size().Int64()) {
			h := c.At(i)
			seen[direction(h.Points)]++
			if spread := slices.Max(h.Points); slices.Min(h.Points) != 0 || spread > max(shape.most, shape.k-1) || h.Threshold < min(1, spread) || h.Threshold > max(1, spread*shape.d) {
				t.Fatalf("%v contains %v", c, h)
			}
		}
		want := map[string]int{}
		vector := make([]int, shape.k)
		var visit func(at int)
		visit = func(at int) {
			if at == shape.k {
				count := slices.Max(vector) * shape.d
				if count == 0 {
					count = 2
				}
				if n, known := want[direction(vector)]; slices.Min(vector) == 0 && (!known || count < n) {
					want[direction(vector)] = count
				}
				return
			}
			for vector[at] = range shape.most + 1 {
				visit(at + 1)
			}
			vector[at] = 0
		}
		visit(0)
		for c := range vector {
			vector[c] = c
		}
		for range 2 {
			if _, known := want[direction(vector)]; !known {
				want[direction(vector)] = (shape.k - 1) * shape.d
			}
			slices.Reverse(vector)
		}
		if !equal(seen, want) {
			t.Errorf("%+v: %d directions of points, not %d, or with other numbers of thresholds", shape, len(seen), len(want))
		}
	}
}

func equal(a, b map[string]int) bool {
	for key, n := range a {
		if b[key] != n {
			return false
		}
	}
	return len(a) == len(b)
}

// direction returns a key that is the same for points that differ only by a positive factor and a constant.
func direction(points []int) string {
	least, most := slices.Min(points), slices.Max(points)
	var key strings.Builder
	for _, v := range points {
		if most == least {
			v = least
		}
		fmt.Fprintf(&key, "%.9f ", float64(v-least)/float64(max(1, most-least)))
	}
	return key.String()
}

// Different scores with the same points are different functions if one of the points is 1.
func TestThresholdsDiffer(t *testing.T) {
	k := sumscoretest.Fixed()["three answers"]
	c := k.Class.(*sumscore.Class)
	seen := map[string]sumscore.Score{}
	for h := range c.All() {
		key := fmt.Sprint(h.Points)
		for _, x := range k.Domain {
			key += fmt.Sprint(c.Predict(h, x))
		}
		if other, twice := seen[key]; twice {
			t.Errorf("%v and %v are the same function", h, other)
		}
		seen[key] = h
	}
}

func TestContainsNothingElse(t *testing.T) {
	c := made(t, 2, items(3, 3))
	for _, h := range []sumscore.Score{
		{}, {Points: []int{0, 1, 2}}, {Points: []int{0, 1, 2}, Threshold: 7}, {Points: []int{0, 2, 0}, Threshold: 1},
		{Points: []int{1, 1, 2}, Threshold: 1}, {Points: []int{0, 1, 3}, Threshold: 1}, {Points: []int{0, 1}, Threshold: 1},
		{Group: 1, Points: []int{0, 1, 2}, Threshold: 1}, {Points: []int{0, 0, 0}, Threshold: 2}, {Points: []int{0, 0, 0}, Threshold: -1},
	} {
		if c.Contains(h) {
			t.Errorf("contains %v", h)
		}
	}
	for i := range int(c.Size().Int64()) {
		if h := c.At(i); !c.Contains(h) {
			t.Errorf("does not contain %v", h)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for what, c := range map[string]struct {
		groups []sumscore.Group
		most   int
	}{
		"no groups":                   {nil, 2},
		"an empty group":              {[]sumscore.Group{{Categories: 2}}, 2},
		"no categories":               {[]sumscore.Group{{Attributes: []int{0}}}, 2},
		"too many categories":         {[]sumscore.Group{items(3, 8)}, 2},
		"too many points":             {[]sumscore.Group{items(3, 2)}, 47},
		"no points":                   {[]sumscore.Group{items(3, 3)}, 0},
		"a negative attribute":        {[]sumscore.Group{{Attributes: []int{-1, 0}, Categories: 2}}, 2},
		"attributes out of order":     {[]sumscore.Group{{Attributes: []int{1, 0}, Categories: 2}}, 2},
		"an attribute that is listed": {[]sumscore.Group{{Attributes: []int{1, 1}, Categories: 2}}, 2},
		"too many scores":             {[]sumscore.Group{items(1000, 7)}, 2},
	} {
		if _, err := sumscore.New(c.groups, c.most); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// The number of tallies that the layout and the estimate of work assume is reached by all records.
func TestTallies(t *testing.T) {
	for _, c := range []struct {
		d, k  int
		count int64
	}{{1, 2, 2}, {9, 3, 55}, {9, 4, 220}, {5, 6, 252}} {
		class := made(t, 1, items(c.d, c.k))
		bytes := func(records int64) int64 { return class.Layout(records).Bytes }
		if bytes(c.count-1) == bytes(c.count) || bytes(c.count) != bytes(c.count+1) {
			t.Errorf("%d attributes of %d categories: the memory does not end to grow at %d records", c.d, c.k, c.count)
		}
	}
}

func BenchmarkSum(b *testing.B) {
	for _, shape := range []struct{ d, k, records int }{{9, 3, 958}, {9, 4, 35_000}, {20, 7, 100_000}, {100, 2, 100_000}} {
		b.Run(fmt.Sprint(shape), func(b *testing.B) {
			c := made(b, 2, items(shape.d, shape.k))
			draw := classtest.FromSeed(1)
			var p class.Problem[record]
			for range shape.records {
				x := make(record, shape.d)
				for j := range x {
					x[j] = uint16(draw(0, shape.k-1))
				}
				p.Points = append(p.Points, class.Point[record]{X: x, Cost: [2]int64{int64(draw(0, 1)), 1}})
			}
			for b.Loop() {
				if _, err := c.Sum(context.Background(), p, func(int64) class.Upper { return class.One }); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(c.SumWork(int64(shape.records)))*10, "ns-estimated")
		})
	}
}
