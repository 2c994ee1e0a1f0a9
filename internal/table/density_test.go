package table_test

import (
	"math"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/internal/table/tabletest"
)

// Numbers are sampled with the probabilities that Between returns, from the whole interval and from the
// part that a rule leaves.
func TestDensity(t *testing.T) {
	d := table.NewDensity(-3, []int64{-3, 0, 4, 5}, []float64{1, 6, 0, 3}) // 0.1; 0.2 each; 0; 0.3
	for _, c := range []struct {
		least, most int64
		want        float64
	}{{-3, -3, .1}, {-2, -2, .2}, {-2, 0, .6}, {1, 4, 0}, {5, 5, .3}, {-10, 10, 1}, {-3, 5, 1}, {2, 1, 0}, {-1, 2, .4}, {6, 9, 0}, {-9, -4, 0}} {
		if got := d.Between(c.least, c.most); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%d..%d has probability %v, not %v", c.least, c.most, got, c.want)
		}
	}
	f := flat(t, tabletest.Schema(t, "[[attribute]]\ncolumn = \"a\"\ncuts = [-3, 6]\ndraw = \"integer\"\nleast = -4\nmost = 6\n"+
		"[[attribute]]\ncolumn = \"b\"\ncuts = [1, 5]\ndraw = \"integer\"\nleast = 0\nmost = 9\n[[rule]]\nat_most = [\"a\", \"b\"]\n"))
	for _, c := range []struct {
		b    uint16
		want map[string]float64
	}{
		{2, map[string]float64{"-3": .1, "-2": .2, "-1": .2, "0": .2, "5": .3}},
		{0, map[string]float64{"-3": 1. / 7, "-2": 2. / 7, "-1": 2. / 7, "0": 2. / 7}}, // b is 0
	} {
		w, err := table.NewDrawer(f, 3, [][]*table.Density{{nil, d, nil}, nil})
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]int{}
		const draws = 20_000
		for range draws {
			seen[w.Draw(nil, []uint16{1, c.b}, nil)[0]]++
		}
		if len(seen) != len(c.want) {
			t.Errorf("b = %d: the numbers are %v", c.b, seen)
		}
		for text, want := range c.want {
			if got := float64(seen[text]) / draws; math.Abs(got-want) > .025 { // over seven standard deviations
				t.Errorf("b = %d: %s has frequency %v, not %v", c.b, text, got, want)
			}
		}
	}
}

// If a rule leaves only numbers of probability 0, they are equally likely.
func TestDensityOfImpossibleNumbers(t *testing.T) {
	f := flat(t, tabletest.Schema(t, "[[attribute]]\ncolumn = \"a\"\ncuts = [5]\ndraw = \"integer\"\nleast = 1\nmost = 9\n"+
		"[[attribute]]\ncolumn = \"b\"\nvalues = [\"2\", \"9\"]\n[[rule]]\nat_most = [\"a\", \"b\"]\n"))
	w, err := table.NewDrawer(f, 3, [][]*table.Density{{table.NewDensity(1, []int64{2, 4}, []float64{0, 1}), nil}, nil})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for range 100 {
		seen[strings.Join(w.Draw(nil, []uint16{0, 0}, nil), " ")] = true
	}
	if len(seen) != 2 || !seen["1 2"] || !seen["2 2"] {
		t.Errorf("the rows are %v", seen)
	}
}

// Only leaves no probability to the numbers between the given ones.
func TestDensityOfSomeNumbers(t *testing.T) {
	d := table.NewDensity(1, []int64{10}, []float64{1}).Only([]int64{2, 3, 7})
	for n := int64(1); n <= 8; n++ {
		want := 0.0
		if n == 2 || n == 3 || n == 7 {
			want = 1. / 3
		}
		if got := d.Between(n, n); math.Abs(got-want) > 1e-15 {
			t.Errorf("%d has probability %v, not %v", n, got, want)
		}
	}
}

// With a range of quantiles, only the numbers between these quantiles are sampled, with their probabilities. Those with a
// property have the probability that Before states.
func TestDensityBetweenQuantiles(t *testing.T) {
	f := flat(t, tabletest.Schema(t, "[[attribute]]\ncolumn = \"a\"\ncuts = [0, 10]\ndraw = \"integer\"\nleast = -5\nmost = 20\n"))
	d := table.NewDensity(0, []int64{0, 3, 5, 8, 9}, []float64{1, 6, 0, 3, 0}) // 0.1; 0.2 each; 0; 0.1 each; 0
	part := d.Part(2, 7, []int64{3})                                           // 2, 6 and 7
	const share = .4
	inside := map[string]bool{"2": true, "6": true, "7": true}
	w, err := table.NewDrawer(f, 3, [][]*table.Density{{nil, d, nil}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from, to float64
		want     map[string]float64
	}{
		{0, 1, map[string]float64{"0": .1, "1": .2, "2": .2, "3": .2, "6": .1, "7": .1, "8": .1}},
		{.05, .2, map[string]float64{"0": 1. / 3, "1": 2. / 3}},
		{.35, .4, map[string]float64{"2": 1}},
		{.6, .75, map[string]float64{"3": 2. / 3, "6": 1. / 3}},
		{.95, 1, map[string]float64{"8": 1}},
		{1, 1, map[string]float64{"8": 1}},
		{0, 0, map[string]float64{"0": 1}},
	} {
		seen, property := map[string]int{}, 0.0
		const draws = 20_000
		for range draws {
			text := w.Draw(nil, []uint16{1}, [][2]float64{{c.from, c.to}})[0]
			seen[text]++
			if inside[text] {
				property += 1. / draws
			}
		}
		if len(seen) != len(c.want) {
			t.Errorf("from %v to %v: the numbers are %v", c.from, c.to, seen)
		}
		for text, want := range c.want {
			if got := float64(seen[text]) / draws; math.Abs(got-want) > .025 {
				t.Errorf("from %v to %v: %s has frequency %v, not %v", c.from, c.to, text, got, want)
			}
		}
		if want := d.Before(c.to, part, share) - d.Before(c.from, part, share); math.Abs(property*(c.to-c.from)-want) > .025*(c.to-c.from) {
			t.Errorf("from %v to %v: numbers with the property have frequency %v, and Before says %v", c.from, c.to, property, want/(c.to-c.from))
		}
	}
	if all := d.Before(1, part, share); math.Abs(all-share) > 1e-15 {
		t.Errorf("all numbers with the property have probability %v", all)
	}
}
