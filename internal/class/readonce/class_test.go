package readonce_test

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/readonce"
	"github.com/sibyl-dp/sibyl/internal/class/readonce/readoncetest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
)

func ExampleClass_At() {
	c, err := readonce.New(readonce.Bits(9), readonce.Options{Gate: readonce.Majority, Depth: 2})
	if err != nil {
		panic(err)
	}
	fmt.Println(c)
	fmt.Println(c.At(17))
	// Output:
	// read-once MAJ formulas of depth 2 over 9 inputs, 45 separator points of seed 0 at distance 1
	// MAJ(MAJ(x1,x2,x4),MAJ(x3,x7,x8),MAJ(x5,x6,x9))
}

func made(t testing.TB, d int, o readonce.Options) *readonce.Class {
	t.Helper()
	c, err := readonce.New(readonce.Bits(d), o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestNewRefuses(t *testing.T) {
	for what, c := range map[string]struct {
		inputs []readonce.Input
		o      readonce.Options
	}{
		"no inputs":                 {nil, readonce.Options{}},
		"too few inputs":            {readonce.Bits(8), readonce.Options{Depth: 2}},
		"too many inputs":           {readonce.Bits(1<<12 + 1), readonce.Options{}},
		"too many formulas":         {readonce.Bits(500), readonce.Options{Depth: 1}},
		"too deep":                  {readonce.Bits(27), readonce.Options{Depth: 3}},
		"too deep for NAND":         {readonce.Bits(16), readonce.Options{Gate: readonce.Nand, Depth: 4}},
		"no depth":                  {readonce.Bits(9), readonce.Options{Depth: -1}},
		"another gate":              {readonce.Bits(9), readonce.Options{Gate: 2}},
		"the same input twice":      {[]readonce.Input{{}, {Penalty: 1}}, readonce.Options{}},
		"a negative attribute":      {[]readonce.Input{{Attribute: -1}}, readonce.Options{}},
		"a category beyond 16 bits": {[]readonce.Input{{Category: 1 << 16}}, readonce.Options{}},
		"a negative penalty":        {[]readonce.Input{{Penalty: -1}}, readonce.Options{}},
		"a large penalty":           {[]readonce.Input{{Penalty: 1<<40 + 1}}, readonce.Options{}},
		"negative points":           {readonce.Bits(3), readonce.Options{Points: -1}},
		"too many points":           {readonce.Bits(3), readonce.Options{Points: 1 << 20}},
		"too few points":            {readonce.Bits(9), readonce.Options{Depth: 2, Points: 8}},
		"points for too many":       {readonce.Bits(13), readonce.Options{Depth: 2, Points: 100}},
	} {
		if _, err := readonce.New(c.inputs, c.o); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// shapes are the parameters of classes that are small enough for a truth table of every formula.
var shapes = []struct {
	d int
	o readonce.Options
}{
	{1, readonce.Options{}}, {4, readonce.Options{}},
	{3, readonce.Options{Depth: 1}}, {8, readonce.Options{Depth: 1}},
	{9, readonce.Options{Depth: 2}}, {10, readonce.Options{Depth: 2}},
	{4, readonce.Options{Gate: readonce.Nand}},
	{2, readonce.Options{Gate: readonce.Nand, Depth: 1}}, {8, readonce.Options{Gate: readonce.Nand, Depth: 1}},
	{4, readonce.Options{Gate: readonce.Nand, Depth: 2}}, {8, readonce.Options{Gate: readonce.Nand, Depth: 2}},
	{8, readonce.Options{Gate: readonce.Nand, Depth: 3}}, {9, readonce.Options{Gate: readonce.Nand, Depth: 3}},
}

// Distinct canonical formulas are distinct functions.
func TestFormulasAreDistinctFunctions(t *testing.T) {
	for _, shape := range shapes {
		c := made(t, shape.d, shape.o)
		seen := map[string]readonce.Formula{}
		table := []byte{}
		for q := range c.All() {
			table = table[:0]
			for x := range 1 << shape.d {
				point := [16]bool{}
				for i := range shape.d {
					point[i] = x>>i&1 == 1
				}
				table = append(table, '0')
				if q.Value(point[:]) {
					table[x] = '1'
				}
			}
			if other, twice := seen[string(table)]; twice {
				t.Fatalf("%v and %v are the same function", q, other)
			}
			seen[string(table)] = q
		}
		if c.Size().Int64() != int64(len(seen)) {
			t.Errorf("%v: %v formulas, not %d", c, c.Size(), len(seen))
		}
	}
}

// The formulas with n leaves over n inputs are the canonical forms of all permutations of the
// leaves.
func TestCanonicalFormsOfAllPermutations(t *testing.T) {
	for _, o := range []readonce.Options{
		{Depth: 1}, {Depth: 2}, {Gate: readonce.Nand, Depth: 1}, {Gate: readonce.Nand, Depth: 2}, {Gate: readonce.Nand, Depth: 3},
	} {
		arity := 3 - int(o.Gate)
		n := 1
		for range o.Depth {
			n *= arity
		}
		c := made(t, n, o)
		forms := map[string]int{}
		permute(n, func(inputs []int) {
			if inputs[0] > heavy.Pick(1, n) {
				return // equivalent to permutations that begin with 0
			}
			sorted := slices.Clone(inputs)
			for size := 1; size < n; size *= arity {
				for gate := 0; gate < n; gate += size * arity {
					parts := make([][]int, arity)
					for i := range parts {
						parts[i] = slices.Clone(sorted[gate+i*size : gate+(i+1)*size])
					}
					slices.SortFunc(parts, func(a, b []int) int { return a[0] - b[0] })
					copy(sorted[gate:], slices.Concat(parts...))
				}
			}
			if c.Contains(readonce.Formula{Gate: o.Gate, Inputs: inputs}) != slices.Equal(inputs, sorted) {
				t.Fatalf("%v: canonical form %v", inputs, sorted)
			}
			forms[word(sorted)]++
		})
		if int64(len(forms)) != c.Size().Int64() {
			t.Errorf("%v: %d canonical forms", c, len(forms))
		}
		for q := range c.All() {
			if forms[word(q.Inputs)] == 0 {
				t.Errorf("%v: lists %v", c, q)
			}
		}
	}
}

// word returns a key for an order.
func word(order []int) string {
	key := make([]byte, len(order))
	for i, v := range order {
		key[i] = byte(v)
	}
	return string(key)
}

// permute calls f for every order of 0..n-1.
func permute(n int, f func([]int)) {
	order := []int{}
	var place func()
	place = func() {
		if len(order) == n {
			f(order)
			return
		}
		for i := range n {
			if !slices.Contains(order, i) {
				order = append(order, i)
				place()
				order = order[:len(order)-1]
			}
		}
	}
	place()
}

// At maps the indices to exactly the formulas that All yields.
func TestAtIsABijection(t *testing.T) {
	for _, shape := range shapes {
		c := made(t, shape.d, shape.o)
		seen := map[string]bool{}
		for i := range int(c.Size().Int64()) {
			q := c.At(i)
			if !c.Contains(q) {
				t.Errorf("%v: number %d is %v", c, i, q)
			}
			seen[q.String()] = true
		}
		for q := range c.All() {
			if !seen[q.String()] {
				t.Errorf("%v: %v has no number", c, q)
			}
		}
		if int64(len(seen)) != c.Size().Int64() {
			t.Errorf("%v: %d numbers", c, len(seen))
		}
	}
}

func TestContainsNothingElse(t *testing.T) {
	c := made(t, 9, readonce.Options{Gate: readonce.Nand, Depth: 2})
	for _, q := range []readonce.Formula{
		{}, {Gate: readonce.Majority, Inputs: []int{0, 1, 2, 3}}, {Gate: readonce.Nand, Inputs: []int{0, 1, 2}},
		{Gate: readonce.Nand, Inputs: []int{0, 1, 2, 9}}, {Gate: readonce.Nand, Inputs: []int{-1, 1, 2, 3}},
		{Gate: readonce.Nand, Inputs: []int{0, 1, 1, 2}}, {Gate: readonce.Nand, Inputs: []int{1, 0, 2, 3}},
		{Gate: readonce.Nand, Inputs: []int{2, 3, 0, 1}}, {Gate: readonce.Nand, Inputs: []int{0, 1, 2, 3, 4, 5, 6, 7}},
	} {
		if c.Contains(q) {
			t.Errorf("contains %v", q)
		}
	}
}

// The separator bits are the labels of points. Any two formulas differ on at least Distance points,
// and some two formulas differ on exactly this number of points.
func TestSeparator(t *testing.T) {
	for name, c := range readoncetest.Fixed() {
		c := c.Class.(*readonce.Class)
		var all [][]bool
		for q := range c.All() {
			set := c.Separate(q)
			for r, label := range set {
				if q.Value(c.Point(r)) != label {
					t.Errorf("%s: %v at point %d", name, q, r)
				}
			}
			all = append(all, set)
		}
		least := -1
		for a := range all {
			for b := range a {
				d := 0
				for r := range all[a] {
					if all[a][r] != all[b][r] {
						d++
					}
				}
				if least < 0 || d < least {
					least = d
				}
			}
		}
		if least < 0 {
			least = 1
		}
		if class.Distance(c) != least {
			t.Errorf("%s: distance %d, not %d", name, class.Distance(c), least)
		}
	}
}

// Chosen points have a greater distance, relative to their number, than random points and than the
// bits of the formula's index.
func TestChosenPointsAreFarApart(t *testing.T) {
	for _, o := range []readonce.Options{{Depth: 2, Points: 100}, {Gate: readonce.Nand, Depth: 2, Points: 100}, {Depth: 1, Points: 50}} {
		c := made(t, 9, o)
		t.Log(c, c.Size())
		if c.Distance()*bits.Len64(c.Size().Uint64()-1) <= c.Separator() {
			t.Errorf("%v: no better than a number", c)
		}
	}
}

func TestSeedsDetermineThePoints(t *testing.T) {
	points := func(seed uint64) string {
		c := made(t, 9, readonce.Options{Depth: 2, Points: 40, Seed: seed})
		var out strings.Builder
		for r := range c.Separator() {
			fmt.Fprint(&out, c.Point(r))
		}
		return out.String()
	}
	first, again, other := points(1), points(1), points(2)
	if first != again || first == other {
		t.Error("they do not")
	}
}

// If each attribute has one input, PredictPartial returns every prediction that the known inputs
// determine.
func TestPredictPartial(t *testing.T) {
	for _, shape := range shapes {
		if shape.d > 8 {
			continue
		}
		c := made(t, shape.d, shape.o)
		draw := classtest.FromSeed(shape.d)
		for q := range c.All() {
			x, known := record{}, []bool{}
			for range shape.d {
				x, known = append(x, uint16(draw(0, 1))), append(known, draw(0, 2) > 0)
			}
			var seen [2]bool
			for other := range 1 << shape.d {
				y := slices.Clone(x)
				for i := range y {
					if !known[i] {
						y[i] = uint16(other >> i & 1)
					}
				}
				if c.Predict(q, y) {
					seen[1] = true
				} else {
					seen[0] = true
				}
			}
			label, ok := c.PredictPartial(q, x, known)
			if ok != (seen[0] != seen[1]) || ok && label != seen[1] {
				t.Fatalf("%v of %v, known %v: %v %v", q, x, known, label, ok)
			}
		}
	}
}

func TestPenaltiesBeyondTheRange(t *testing.T) {
	inputs := readonce.Bits(3)
	for i := range inputs {
		inputs[i].Penalty = 1 << 30
	}
	c, err := readonce.New(inputs, readonce.Options{Gate: readonce.Majority, Depth: 1})
	if err != nil {
		t.Fatal(err)
	}
	classtest.Penalties(t, c)
}
