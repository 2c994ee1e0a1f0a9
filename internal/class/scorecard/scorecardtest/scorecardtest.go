// Package scorecardtest provides small classes of scorecards for tests.
package scorecardtest

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/scorecard"
)

// A Case holds a small class of scorecards, and all possible records of the class.
type Case = classtest.Case[[]uint16, scorecard.Card]

// Random returns a random class of one to four attributes, with a random kind and random limits.
// The class has at most the given number of cards, which must be at least 256.
func Random(draw classtest.Draw, most int) Case {
	o := scorecard.Options{Threshold: draw(-2, 3)}
	if draw(0, 2) == 0 {
		o.Penalty = int64(draw(1, 3))
	}
	limit := 0
	if draw(0, 2) == 0 {
		limit = draw(1, 3)
	}
	if draw(0, 3) == 0 {
		o.Norm, o.Penalty, limit = draw(1, 12), 0, 0
	}
	var attributes []scorecard.Attribute
	var categories []int
	var best *scorecard.Class
	for range draw(1, 4) {
		n := draw(1, 4)
		attributes = append(attributes, attribute(draw, n))
		o.Most = limit
		c, err := scorecard.New(attributes, o)
		if err != nil { // the limits exclude every card
			o.Most, o.Norm = 0, 0
			c, err = scorecard.New(attributes, o)
		}
		if err != nil {
			panic(err)
		}
		if c.Size().Cmp(big.NewInt(int64(most))) > 0 {
			break
		}
		best, categories = c, append(categories, n)
	}
	return Case{Class: best, Domain: classtest.Records(categories)}
}

// attribute returns a random attribute with n categories.
func attribute(draw classtest.Draw, n int) scorecard.Attribute {
	lo := draw(-2, 1)
	hi := lo + draw(0, 2)
	switch draw(0, 6) {
	case 0:
		var order []int
		for c := range n {
			at := draw(0, len(order)+1) // the last value leaves category c out of the order
			if at <= len(order) {
				order = append(order[:at], append([]int{c}, order[at:]...)...)
			}
		}
		return scorecard.OneHot(n, lo, hi).Monotone(order)
	case 1:
		values := make([]int, n)
		for c := range values {
			values[c] = draw(-2, 3)
		}
		return scorecard.Numeric(values, lo, hi)
	case 2:
		return binary(n, draw(1, 2), lo, hi)
	case 3:
		vectors := make([][]int, draw(1, 5))
		for i := range vectors {
			for range n {
				vectors[i] = append(vectors[i], draw(-3, 3))
			}
		}
		return scorecard.Vectors(vectors)
	default:
		return scorecard.OneHot(n, lo, hi)
	}
}

// Fixed returns test cases by name. Together they cover every kind of attribute and every option of
// the class.
func Fixed() map[string]Case {
	make := func(o scorecard.Options, categories []int, attributes ...scorecard.Attribute) Case {
		c, err := scorecard.New(attributes, o)
		if err != nil {
			panic(err)
		}
		return Case{Class: c, Domain: classtest.Records(categories)}
	}
	wide := func(n int) scorecard.Attribute { return scorecard.OneHot(n, -2, 2) }
	sign := func(n int) scorecard.Attribute { return scorecard.OneHot(n, -1, 1) }
	return map[string]Case{
		"one attribute of one category": make(scorecard.Options{}, []int{1}, sign(1)),
		"one card":                      make(scorecard.Options{Threshold: 1}, []int{2}, scorecard.OneHot(2, 1, 1)),
		"one attribute":                 make(scorecard.Options{Threshold: 1}, []int{4}, sign(4)),
		"signs":                         make(scorecard.Options{Threshold: 1}, []int{3, 2, 2}, sign(3), sign(2), sign(2)),
		"positive":                      make(scorecard.Options{Threshold: 3}, []int{2, 2, 2}, scorecard.OneHot(2, 0, 2), scorecard.OneHot(2, 0, 2), scorecard.OneHot(2, 1, 2)),
		"all constant predictions":      make(scorecard.Options{Threshold: 100}, []int{2, 2}, sign(2), sign(2)),
		"penalty":                       make(scorecard.Options{Penalty: 2}, []int{2, 2, 2}, sign(2), sign(2), sign(2)),
		"at most one":                   make(scorecard.Options{Threshold: 1, Most: 1}, []int{3, 2, 2}, sign(3), sign(2), sign(2)),
		"at most two with a penalty":    make(scorecard.Options{Threshold: 1, Most: 2, Penalty: 1}, []int{2, 2, 3}, sign(2), sign(2), sign(3)),
		"monotone": make(scorecard.Options{Threshold: 1}, []int{4, 3},
			scorecard.OneHot(4, -1, 2).Monotone([]int{3, 1, 0}), sign(3).Monotone([]int{0, 1, 2})),
		"lists": make(scorecard.Options{Threshold: 2}, []int{4, 4, 3},
			scorecard.Numeric([]int{0, 1, 2, 3}, -2, 2), binary(4, 2, -1, 1), scorecard.Vectors([][]int{{0, 0, 0}, {3, 0, -3}, {1, 1, 1}})),
		"norm": make(scorecard.Options{Threshold: 1, Norm: 3}, []int{3, 2, 2}, wide(3), wide(2), wide(2)),
		"all of one norm": make(scorecard.Options{Threshold: 1, Norm: 7}, []int{2, 2},
			scorecard.Vectors([][]int{{1, 0}, {0, -1}}), scorecard.Vectors([][]int{{1, 1}, {-1, 1}})),
		"norm of all kinds": make(scorecard.Options{Threshold: 1, Norm: 9}, []int{2, 3, 3, 2},
			wide(2), wide(3).Monotone([]int{2, 0}), scorecard.Numeric([]int{-1, 0, 2}, -1, 2), scorecard.OneHot(2, 1, 2)),
		"all kinds": make(scorecard.Options{Threshold: 1, Most: 2, Penalty: 1}, []int{2, 3, 3},
			sign(2), sign(3).Monotone([]int{2, 0}), scorecard.Numeric([]int{-1, 0, 2}, 0, 2)),
	}
}

// binary returns an attribute whose category codes are read as one or two bits. Each bit has a
// weight from lo to hi, and a category contributes the sum of the weights of the bits that are 1 in
// its code.
func binary(categories, bits, lo, hi int) scorecard.Attribute {
	var vectors [][]int
	for low := lo; low <= hi; low++ {
		for high := lo; high <= hi; high++ {
			v := make([]int, categories)
			for c := range v {
				v[c] = c & 1 * low
				if bits == 2 {
					v[c] += c >> 1 & 1 * high
				}
			}
			vectors = append(vectors, v)
		}
	}
	return scorecard.Vectors(vectors)
}
