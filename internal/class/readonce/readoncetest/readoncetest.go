// Package readoncetest provides small classes of read-once formulas for tests.
package readoncetest

import (
	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/readonce"
)

// A Case holds a small class of formulas, and some records of its domain.
type Case = classtest.Case[[]uint16, readonce.Formula]

// Fixed returns test cases with classes of read-once formulas, by name.
func Fixed() map[string]Case {
	return map[string]Case{
		"one input":                 must(readonce.Bits(1), readonce.Options{}),
		"inputs":                    must(readonce.Bits(3), readonce.Options{Gate: readonce.Nand}),
		"one majority":              must(readonce.Bits(3), readonce.Options{Depth: 1}),
		"majorities":                must(readonce.Bits(6), readonce.Options{Depth: 1, Seed: 1}),
		"one majority of one":       must(readonce.Bits(3), readonce.Options{Depth: 1, Points: 5}),
		"majorities at a distance":  must(readonce.Bits(6), readonce.Options{Depth: 1, Points: 70}),
		"majorities of majorities":  must(readonce.Bits(9), readonce.Options{Depth: 2}),
		"NANDs":                     must(readonce.Bits(5), readonce.Options{Gate: readonce.Nand, Depth: 1}),
		"NANDs of NANDs":            must(readonce.Bits(6), readonce.Options{Gate: readonce.Nand, Depth: 2, Points: 30}),
		"NANDs of NANDs of NANDs":   must(readonce.Bits(8), readonce.Options{Gate: readonce.Nand, Depth: 3}),
		"categories":                must(categories, readonce.Options{Depth: 1}),
		"categories with penalties": must(penalties(categories), readonce.Options{Gate: readonce.Nand, Depth: 2}),
	}
}

// categories holds inputs over three attributes, which have 3, 2 and 4 categories.
var categories = []readonce.Input{
	{Attribute: 0, Category: 0}, {Attribute: 0, Category: 2}, {Attribute: 1, Category: 1},
	{Attribute: 2, Category: 3}, {Attribute: 2, Category: 0}, {Attribute: 2, Category: 1},
}

// penalties returns copies of the inputs, in which input i has penalty i.
func penalties(inputs []readonce.Input) []readonce.Input {
	out := append([]readonce.Input(nil), inputs...)
	for i := range out {
		out[i].Penalty = int64(i)
	}
	return out
}

// Random returns a random class of at most 378 formulas over inputs of attributes with up to three
// categories.
func Random(draw classtest.Draw) Case {
	var inputs []readonce.Input
	for attribute := range draw(2, 9) {
		for category := range draw(1, 3) {
			inputs = append(inputs, readonce.Input{Attribute: attribute, Category: category, Penalty: int64(draw(0, 2))})
		}
	}
	inputs = inputs[:min(len(inputs), 9)]
	o := readonce.Options{Gate: readonce.Gate(draw(0, 1)), Depth: draw(0, 2), Seed: uint64(draw(0, 9))}
	for leaves(o) > len(inputs) {
		o.Depth--
	}
	if draw(0, 9) == 0 { // rarely, because New takes long to choose points
		o.Points = draw(60, 100)
	}
	return must(inputs, o)
}

// leaves returns the number of leaves of a formula of the class with options o.
func leaves(o readonce.Options) int {
	n := 1
	for range o.Depth {
		n *= map[readonce.Gate]int{readonce.Majority: 3, readonce.Nand: 2}[o.Gate]
	}
	return n
}

// must returns the class of formulas over the inputs, with 40 records whose attributes have the
// categories 0..3. It panics if the class is invalid.
func must(inputs []readonce.Input, o readonce.Options) Case {
	c, err := readonce.New(inputs, o)
	if err != nil {
		panic(err)
	}
	attributes := 0
	for _, in := range inputs {
		attributes = max(attributes, in.Attribute+1)
	}
	draw := classtest.FromSeed(len(inputs))
	domain := make([][]uint16, 40)
	for r := range domain {
		for range attributes {
			domain[r] = append(domain[r], [...]uint16{0, 1, 1, 2, 3}[draw(0, 4)])
		}
	}
	return Case{Class: c, Domain: domain}
}
