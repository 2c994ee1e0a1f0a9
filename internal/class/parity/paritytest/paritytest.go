// Package paritytest provides small classes of parities for tests.
package paritytest

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/parity"
)

// A Case holds a small class of parities, and all possible records of the class.
type Case = classtest.Case[[]uint16, parity.Parity]

// Random returns a random class of one to five attributes of various kinds. It has at most the
// given number of parities, which must be at least 128.
func Random(draw classtest.Draw, most int) Case {
	o := parity.Options{Affine: draw(0, 2) == 0, Most: draw(0, 3)}
	if draw(0, 2) == 0 {
		o.Penalty = int64(draw(1, 3))
	}
	var attributes []parity.Attribute
	var categories []int
	var best *parity.Class
	for range draw(1, 5) {
		a, n := attribute(draw)
		attributes, categories = append(attributes, a), append(categories, n)
		c, err := parity.New(attributes, o)
		if err != nil {
			panic(err)
		}
		if best != nil && c.Size().Cmp(big.NewInt(int64(most))) > 0 {
			attributes, categories = attributes[:len(attributes)-1], categories[:len(categories)-1]
			break
		}
		best = c
	}
	if bits := best.Bits(); draw(0, 2) == 0 && bits > 0 {
		o.Code = code(draw, bits, o.Affine)
		coded, err := parity.New(attributes, o)
		if err == nil { // err is not nil if two parities agree on all points
			best = coded
		}
	}
	return Case{Class: best, Domain: classtest.Records(categories)}
}

// attribute returns a random attribute and its number of categories.
func attribute(draw classtest.Draw) (parity.Attribute, int) {
	switch draw(0, 2) {
	case 0:
		return parity.BinaryCode(2), 2
	case 1:
		n := draw(1, 5)
		return parity.OneHot(n), n
	}
	n := draw(1, 6)
	return parity.BinaryCode(n), n
}

// code returns a random separator for tests: a greedy code or a code of random points.
func code(draw classtest.Draw, bits int, affine bool) parity.Code {
	points := bits + draw(1, 12)
	if draw(0, 1) == 0 {
		c, err := parity.Greedy(bits, points, affine)
		if err != nil {
			panic(err)
		}
		return c
	}
	var c parity.Code
	for range points {
		c = append(c, uint64(draw(0, 1<<bits-1)))
	}
	return c
}

// Fixed returns test cases by name. Together they cover every feature of the class.
func Fixed() map[string]Case {
	make := func(o parity.Options, categories []int, attributes ...parity.Attribute) Case {
		c, err := parity.New(attributes, o)
		if err != nil {
			panic(err)
		}
		return Case{Class: c, Domain: classtest.Records(categories)}
	}
	bits := func(n int) (attributes []parity.Attribute, categories []int) {
		for range n {
			attributes, categories = append(attributes, parity.BinaryCode(2)), append(categories, 2)
		}
		return attributes, categories
	}
	five, twos := bits(5)
	greedy := func(affine bool) parity.Code {
		c, err := parity.Greedy(5, 14, affine)
		if err != nil {
			panic(err)
		}
		return c
	}
	hadamard, err := parity.Hadamard(5)
	if err != nil {
		panic(err)
	}
	return map[string]Case{
		"no bit":              make(parity.Options{}, []int{1}, parity.OneHot(1)),
		"no bit, affine":      make(parity.Options{Affine: true}, []int{1}, parity.BinaryCode(1)),
		"one bit":             make(parity.Options{}, []int{2}, parity.BinaryCode(2)),
		"one bit, affine":     make(parity.Options{Affine: true, Most: 1}, []int{2}, parity.OneHot(2)),
		"bits":                make(parity.Options{}, twos, five...),
		"affine":              make(parity.Options{Affine: true}, twos, five...),
		"penalty":             make(parity.Options{Penalty: 2}, twos, five...),
		"at most one":         make(parity.Options{Most: 1}, twos, five...),
		"at most two, affine": make(parity.Options{Most: 2, Affine: true, Penalty: 1}, twos, five...),
		"all kinds": make(parity.Options{}, []int{4, 2, 5},
			parity.OneHot(4), parity.BinaryCode(2), parity.BinaryCode(5)),
		"all kinds, at most three": make(parity.Options{Most: 3, Affine: true}, []int{4, 1, 3, 5},
			parity.OneHot(4), parity.OneHot(1), parity.BinaryCode(3), parity.BinaryCode(5)),
		"hadamard":           make(parity.Options{Code: hadamard}, twos, five...),
		"reed-muller":        make(parity.Options{Code: append(parity.Code{0}, hadamard...), Affine: true}, twos, five...),
		"coded":              make(parity.Options{Code: greedy(false), Penalty: 1}, twos, five...),
		"coded, affine":      make(parity.Options{Code: greedy(true), Affine: true}, twos, five...),
		"coded, at most two": make(parity.Options{Code: greedy(false), Most: 2}, twos, five...),
	}
}
