package mip

import (
	"math/big"
	"testing"

	"github.com/sibyl-dp/sibyl/class"
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/papers/numeric"
	"github.com/sibyl-dp/sibyl/internal/papers/numeric/numerictest"
	"github.com/sibyl-dp/sibyl/internal/testing/heavy"
	"pgregory.net/rapid"
)

// at returns the point of the program that represents h, and the objective of this point. Each record's variable is
// as small as the constraints permit. ok is false if no point that represents h is feasible.
func (f *formulation) at(h numeric.Halfspace) (point []float64, objective *big.Int, ok bool) {
	value := make([]int64, len(f.variables))
	set := func(v int, on bool) {
		if on {
			value[v] = 1
		}
	}
	for i, v := range f.step {
		set(v, h.Threshold >= f.class.Thresholds()[i+1])
	}
	for j, v := range f.weight {
		value[v] = h.Weights[j]
		for i, w := range f.class.Columns()[j].Weights[1:] {
			// The bits of a weight follow its variable, if it has bits.
			if b := v + 1 + i; b < len(f.variables) && f.variables[b].name[0] == 'w' && f.hasBits(j) {
				set(b, h.Weights[j] >= w)
			}
		}
	}
	norms := f.class.Norms()
	for v, x := range f.variables {
		if x.name[0] == 'n' {
			norms = norms[1:]
			set(v, h.Norm() >= norms[0])
		}
	}
	for _, r := range f.rows {
		sum := new(big.Int)
		for _, t := range r.sum {
			sum.Add(sum, new(big.Int).Mul(big.NewInt(t.coefficient), big.NewInt(value[t.variable])))
		}
		last := r.sum[max(len(r.sum)-1, 0):]
		if sum.Cmp(big.NewInt(r.least)) < 0 && len(last) > 0 && f.variables[last[0].variable].name[0] == 'e' {
			value[last[0].variable] = 1
			sum.Add(sum, big.NewInt(last[0].coefficient))
		}
		if c := sum.Cmp(big.NewInt(r.least)); c < 0 || r.exact && c > 0 {
			return nil, nil, false
		}
	}
	objective = new(big.Int)
	for i, v := range f.variables {
		if value[i] < v.lo || value[i] > v.hi {
			return nil, nil, false
		}
		objective.Add(objective, new(big.Int).Mul(big.NewInt(v.cost), big.NewInt(value[i])))
		point = append(point, float64(value[i]))
	}
	return point, objective, true
}

// hasBits reports whether weight j has unary bits.
func (f *formulation) hasBits(j int) bool {
	end := len(f.variables)
	if j+1 < len(f.weight) {
		end = f.weight[j+1]
	}
	next := f.weight[j] + 1
	return next < end && f.variables[next].name[0] == 'w'
}

// faithful checks the formulation of p. With the best values of the records' variables, the feasible points of the
// program must represent exactly the halfspaces of the class, and have their costs.
func faithful(t classtest.T, c numerictest.Case, p class.Problem[[]int64]) {
	t.Helper()
	own := c.Class.(*numeric.Class)
	if _, ok := own.Spread(p); !ok {
		return
	}
	f, ok := formulate(own, p)
	if !ok {
		return
	}
	free, err := numeric.New(own.Columns(), own.Thresholds(), numeric.Options{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	for h := range free.All() {
		point, objective, ok := f.at(h)
		if ok != own.Contains(h) {
			t.Fatalf("%v, %v: feasibility of the point of %v: %v", own, p, h, ok)
		}
		if !ok {
			continue
		}
		if cost := class.Cost(own, p, h); objective.Add(objective, big.NewInt(f.constant)).Cmp(big.NewInt(cost)) != 0 {
			t.Fatalf("%v, %v: %v costs %v in the program and %d in the class", own, p, h, objective, cost)
		}
		if back, ok := f.halfspace(point); !ok || class.Cost(own, class.Problem[[]int64]{Terms: distinct(own)}, back) != class.Cost(own, class.Problem[[]int64]{Terms: distinct(own)}, h) {
			t.Fatalf("%v: the point of %v decodes to %v", own, h, back)
		}
	}
}

// distinct returns terms that give all halfspaces different costs.
func distinct(c *numeric.Class) []int64 {
	terms := make([]int64, c.Separator())
	for i := range terms {
		terms[i] = 1 << (2 * i)
	}
	return terms
}

func TestFormulation(t *testing.T) {
	for _, c := range numerictest.Fixed() {
		for _, p := range c.Weird() {
			faithful(t, c, p)
		}
	}
	for seed := range heavy.Pick(400, 1000) {
		draw := classtest.FromSeed(seed)
		c := numerictest.Random(draw, 1000)
		faithful(t, c, c.Random(draw))
	}
}

func TestFormulationRapid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, "") }
		c := numerictest.Random(draw, 1000)
		faithful(t, c, c.Random(draw))
	})
}

func FuzzFormulation(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		draw := classtest.FromBytes(data)
		c := numerictest.Random(draw, 1000)
		faithful(t, c, c.Random(draw))
	})
}

// If the costs of a weight are linear, their slope is the coefficient of the weight in the objective, and the weight
// has no unary bits.
func TestLinearCostsNeedNoBits(t *testing.T) {
	c, err := numeric.New([]numeric.Column{numeric.Bounded(-5, 5, 3), numeric.Bounded(0, 1, 1)}, []int64{1}, numeric.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, ok := formulate(c, class.Problem[[]int64]{Terms: []int64{4, 4, 4, 4, 4, 4, -7, -7}})
	if !ok || len(f.variables) != 2 || f.variables[0].cost != 4 || f.variables[1].cost != -7 || f.constant != 3*4-7 {
		t.Errorf("variables %v, constant %d", f.variables, f.constant)
	}
}

// The big-M constant of each record is the least constant with which the record's variable can satisfy its
// constraint.
func TestConstantsAreTight(t *testing.T) {
	c, err := numeric.New([]numeric.Column{numeric.Bounded(-100, 100, 2), numeric.Bounded(0, 900, 1)}, []int64{25}, numeric.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, _ := formulate(c, class.Problem[[]int64]{Points: []class.Point[[]int64]{
		{X: []int64{20, 10}, Cost: [2]int64{0, 1}}, // 2w+v ≤ 2, at most 5
		{X: []int64{20, 10}, Cost: [2]int64{1, 0}}, // 2w+v ≥ 3, at least -5
		{X: []int64{4, 8}, Cost: [2]int64{0, 3}},   // never 1: w+2v ≤ 4
		{X: []int64{4, 8}, Cost: [2]int64{3, 0}},   // never 1
	}})
	if len(f.rows) != 2 || len(f.variables) != 4 || f.constant != 3 {
		t.Fatalf("%d rows, %d variables, constant %d", len(f.rows), len(f.variables), f.constant)
	}
	for i, big := range []int64{3, 8} {
		if got := f.rows[i].sum[2].coefficient; got != big {
			t.Errorf("record %d: the big-M constant is %d; want %d", i, got, big)
		}
	}
}
