// Package numerictest generates small classes of halfspaces for tests.
package numerictest

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/papers/numeric"
)

// A Case holds a small class of halfspaces, and some records.
type Case = classtest.Case[[]int64, numeric.Halfspace]

// Random returns a random class and up to a dozen records. The class has one to four columns and at most the given
// number of halfspaces, which must be at least 256.
func Random(draw classtest.Draw, most int) Case {
	o := numeric.Options{}
	if draw(0, 2) == 0 {
		o.Penalty = int64(draw(1, 3))
	}
	if draw(0, 2) == 0 {
		o.Norm = int64(draw(1, 9))
	}
	if draw(0, 2) == 0 {
		o.Most = draw(1, 3)
	}
	o.NormBits = draw(0, 2) == 0
	thresholds := []int64{int64(draw(-9, 5))}
	for range draw(0, 2) {
		thresholds = append(thresholds, thresholds[len(thresholds)-1]+int64(draw(1, 6)))
	}
	var columns []numeric.Column
	var best *numeric.Class
	for range draw(1, 4) {
		columns = append(columns, column(draw))
		c, err := numeric.New(columns, thresholds, o)
		if err != nil { // the limits exclude all halfspaces, if weights cannot be 0
			o.Norm, o.Most = 0, 0
			c, err = numeric.New(columns, thresholds, o)
		}
		if err != nil {
			panic(err)
		}
		if c.Size().Cmp(big.NewInt(int64(most))) > 0 {
			break
		}
		best = c
	}
	return Case{Class: best, Domain: records(draw, best.Columns())}
}

// column returns a random column with up to five possible weights.
func column(draw classtest.Draw) numeric.Column {
	lo := int64(draw(-9, 4))
	c := numeric.Bounded(lo, lo+int64(draw(0, 9)), int64(draw(0, 2)))
	switch draw(0, 4) {
	case 0: // arbitrary weights
		c.Weights = []int64{int64(draw(-4, 2))}
		for range draw(0, 3) {
			c.Weights = append(c.Weights, c.Weights[len(c.Weights)-1]+int64(draw(1, 3)))
		}
	case 1: // weights without 0
		c.Weights = []int64{-1, 2}
	}
	return c
}

// records returns random records whose values lie in the ranges of the columns.
func records(draw classtest.Draw, columns []numeric.Column) [][]int64 {
	var out [][]int64
	for range draw(1, 12) {
		x := make([]int64, len(columns))
		for j, c := range columns {
			x[j] = c.Lo + int64(draw(0, int(c.Hi-c.Lo)))
		}
		out = append(out, x)
	}
	return out
}

// Fixed returns test cases by name. Together they use all options of a class.
func Fixed() map[string]Case {
	make := func(o numeric.Options, thresholds []int64, columns ...numeric.Column) Case {
		c, err := numeric.New(columns, thresholds, o)
		if err != nil {
			panic(err)
		}
		return Case{Class: c, Domain: records(classtest.FromSeed(len(columns)), columns)}
	}
	var (
		binary = numeric.Bounded(0, 1, 1)
		signed = numeric.Bounded(-10, 10, 2)
		huge   = numeric.Bounded(-1<<40, 1<<40, 2)
		uneven = numeric.Column{Lo: -2, Hi: 5, Weights: []int64{-3, -1, 0, 2}}
		sign   = numeric.Column{Lo: -2, Hi: 5, Weights: []int64{-1, 1}}
		large  = numeric.Column{Lo: 18, Hi: 99, Weights: []int64{-100, 0, 7, 250}}
	)
	return map[string]Case{
		"one halfspace":      make(numeric.Options{}, []int64{1}, numeric.Column{Lo: 0, Hi: 3, Weights: []int64{1}}),
		"one column":         make(numeric.Options{}, []int64{1}, signed),
		"only thresholds":    make(numeric.Options{}, []int64{-3, 0, 4, 5}, numeric.Column{Lo: -9, Hi: 9, Weights: []int64{1}}),
		"binary":             make(numeric.Options{}, []int64{1}, binary, binary, binary, binary),
		"signed":             make(numeric.Options{}, []int64{-5, 0, 5}, signed, signed, signed),
		"constant":           make(numeric.Options{}, []int64{1000}, signed, signed),
		"norm":               make(numeric.Options{Norm: 3}, []int64{0, 1}, signed, signed, signed),
		"norm and penalty":   make(numeric.Options{Norm: 4, Penalty: 2}, []int64{2}, signed, signed, signed),
		"norm bits":          make(numeric.Options{NormBits: true}, []int64{0, 2}, signed, signed, signed),
		"norm, norm bits":    make(numeric.Options{Norm: 5, NormBits: true, Penalty: 1}, []int64{1}, signed, signed, signed),
		"most and norm bits": make(numeric.Options{Most: 2, NormBits: true}, []int64{0, 1}, signed, uneven, signed),
		"one norm":           make(numeric.Options{NormBits: true}, []int64{0, 1}, sign, sign, sign),
		"norm used up": make(numeric.Options{Norm: 1}, []int64{0}, numeric.Column{Weights: []int64{0, 1, 2, 3}},
			numeric.Column{Weights: []int64{0, 1}}, numeric.Column{Weights: []int64{0}}, numeric.Column{Weights: []int64{-1}}),
		"huge values":          make(numeric.Options{Norm: 3}, []int64{-1 << 41, 1 << 39}, huge, signed, huge),
		"at most one":          make(numeric.Options{Most: 1}, []int64{0, 3}, signed, signed, signed),
		"at most two, penalty": make(numeric.Options{Most: 2, Penalty: 1}, []int64{1, 2}, signed, binary, signed),
		"given weights":        make(numeric.Options{Penalty: 1}, []int64{-200, 500}, large, numeric.Bounded(-3, 3, 1), large),
		"no weight 0": make(numeric.Options{Norm: 8}, []int64{1}, numeric.Column{Lo: -2, Hi: 5, Weights: []int64{-2, 1}},
			numeric.Column{Lo: -2, Hi: 5, Weights: []int64{-1, 1, 3}}, signed),
	}
}
