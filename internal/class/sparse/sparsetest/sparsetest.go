// Package sparsetest provides small classes of sparse cards for tests.
package sparsetest

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/sparse"
)

// A Case is a small class of sparse cards with all possible records of the class.
type Case = classtest.Case[[]uint16, sparse.Card]

func of(o sparse.Options, bases ...sparse.Card) Case {
	c, err := sparse.New(o)
	if err != nil {
		panic(err)
	}
	for _, h := range bases {
		c = c.Next(h)
	}
	return Case{Class: c, Domain: classtest.Records(o.Sizes)}
}

// Random returns a random class of sparse cards, with a base that is 0 or the result of an earlier
// draw. It has at most the given number of cards, which must be at least 256.
func Random(draw classtest.Draw, most int) Case {
	o := sparse.Options{Most: draw(1, 2), Points: 1, Threshold: draw(-2, 2), Groups: draw(2, 16), Draws: draw(1, 3)}
	if draw(0, 2) == 0 {
		o.Rate = big.NewRat(int64(draw(1, 8)), 4)
	}
	var best *sparse.Class
	for range draw(1, 4) {
		o.Sizes = append(o.Sizes, draw(1, 4))
		c, err := sparse.New(o)
		if err != nil {
			panic(err)
		}
		if best != nil && c.Size().Cmp(big.NewInt(int64(most))) > 0 {
			o.Sizes = o.Sizes[:len(o.Sizes)-1]
			break
		}
		best = c
	}
	for range draw(0, o.Draws-1) {
		best = best.Next(card(draw, best))
	}
	return Case{Class: best, Domain: classtest.Records(o.Sizes)}
}

// card returns a random card of class c.
func card(draw classtest.Draw, c *sparse.Class) sparse.Card {
	at := draw(0, int(c.Size().Int64())-1)
	for h := range c.All() {
		if at--; at < 0 {
			return h
		}
	}
	panic("sparsetest: a class of fewer cards than its size")
}

// Fixed returns test cases by name. Together they cover every feature of the class.
func Fixed() map[string]Case {
	one := func(attribute int, points ...int) sparse.Card {
		return sparse.Card{Attributes: []int{attribute}, Points: [][]int{points}}
	}
	return map[string]Case{
		"one attribute of one category": of(sparse.Options{Sizes: []int{1}, Most: 1, Points: 1, Draws: 1}),
		"pairs of three":                of(sparse.Options{Sizes: []int{2, 3, 2}, Most: 2, Points: 1, Threshold: 1, Draws: 1}),
		"charged":                       of(sparse.Options{Sizes: []int{2, 3, 2}, Most: 2, Points: 1, Threshold: 1, Draws: 1, Rate: big.NewRat(1, 2)}),
		"wide points":                   of(sparse.Options{Sizes: []int{2, 3}, Most: 1, Points: 3, Threshold: 2, Draws: 1}),
		"beyond the reach":              of(sparse.Options{Sizes: []int{2, 2}, Most: 2, Points: 1, Threshold: 9, Draws: 1}),
		"the first of two":              of(sparse.Options{Sizes: []int{2, 2, 2}, Most: 2, Points: 1, Threshold: 1, Draws: 2}),
		"the second of two": of(sparse.Options{Sizes: []int{2, 2, 2}, Most: 2, Points: 1, Threshold: 1, Draws: 2, Rate: big.NewRat(1, 3)},
			sparse.Card{Attributes: []int{0, 1}, Points: [][]int{{-1, 1}, {0, 1}}}),
		"the third of three": of(sparse.Options{Sizes: []int{2, 3, 2}, Most: 1, Points: 2, Threshold: -1, Draws: 3}, one(1, -2, 0, 1), one(0, 2, -1)),
		"read in groups":     of(sparse.Options{Sizes: []int{2, 7, 3}, Most: 2, Groups: 2, Points: 1, Draws: 2}, one(0, 1, 0)),
	}
}
