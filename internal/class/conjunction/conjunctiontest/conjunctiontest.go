// Package conjunctiontest provides small classes of conjunctions and disjunctions for tests.
package conjunctiontest

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/conjunction"
	"github.com/sibyl-dp/sibyl/internal/class/literal"
)

// A Case holds a small class of formulas, and all possible records of the class.
type Case = classtest.Case[[]uint16, conjunction.Formula]

// Random returns a random class of one to five attributes with various kinds of tests. It has at
// most the given number of formulas, which must be at least 32.
func Random(draw classtest.Draw, most int) Case {
	o := conjunction.Options{Disjunction: draw(0, 1) == 1}
	if draw(0, 2) == 0 {
		o.Penalty = int64(draw(1, 3))
	}
	if draw(0, 2) == 0 {
		o.Most = draw(1, 4)
	}
	if draw(0, 2) == 0 {
		o.Distance = draw(1, 5)
	}
	var attributes []literal.Attribute
	var categories []int
	var best *conjunction.Class
	for range draw(1, 5) {
		attributes = append(attributes, attribute(draw))
		c, err := conjunction.New(attributes, o)
		if err != nil {
			panic(err)
		}
		if c.Size().Cmp(big.NewInt(int64(most))) > 0 {
			break
		}
		best, categories = c, append(categories, attributes[len(attributes)-1].Categories())
	}
	return Case{Class: best, Domain: classtest.Records(categories)}
}

// attribute returns a random attribute with at most 31 tests.
func attribute(draw classtest.Draw) literal.Attribute {
	switch draw(0, 5) {
	case 0:
		return literal.Positive()
	case 1:
		return literal.EqualOrNot(draw(1, 4))
	case 2:
		return literal.Intervals(draw(1, 5), draw(0, 1) == 1)
	case 3:
		n := draw(2, 5)
		used := map[int]bool{}
		var tests [][]bool
		for range draw(0, 5) {
			set := draw(1, 1<<n-2)
			if used[set] {
				continue
			}
			used[set] = true
			test := make([]bool, n)
			for c := range test {
				test[c] = set>>c&1 == 1
			}
			tests = append(tests, test)
		}
		return literal.Tests(n, tests)
	default:
		return literal.Equal(draw(1, 4))
	}
}

// Fixed returns test cases by name. Together they cover every feature of the class.
func Fixed() map[string]Case {
	make := func(o conjunction.Options, attributes ...literal.Attribute) Case {
		c, err := conjunction.New(attributes, o)
		if err != nil {
			panic(err)
		}
		var categories []int
		for _, a := range attributes {
			categories = append(categories, a.Categories())
		}
		return Case{Class: c, Domain: classtest.Records(categories)}
	}
	type options = conjunction.Options
	equal, positive := literal.Equal, literal.Positive
	return map[string]Case{
		"one formula":                 make(options{}, equal(1)),
		"one test":                    make(options{}, positive()),
		"one attribute":               make(options{}, equal(4)),
		"monotone conjunctions":       make(options{}, positive(), positive(), positive(), positive()),
		"monotone disjunctions":       make(options{Disjunction: true}, positive(), positive(), positive(), positive()),
		"cells of marginals":          make(options{}, equal(3), equal(2), equal(2)),
		"cells of marginals of two":   make(options{Most: 2}, equal(3), equal(1), equal(2), equal(2)),
		"literals and their negation": make(options{Disjunction: true}, literal.EqualOrNot(3), literal.EqualOrNot(2), positive()),
		"intervals":                   make(options{}, literal.Intervals(4, false), literal.Intervals(4, true)),
		"penalty":                     make(options{Penalty: 2}, equal(3), equal(2), positive()),
		"at most one with a penalty":  make(options{Most: 1, Penalty: 1}, equal(2), equal(2), literal.Intervals(3, false)),
		"coded":                       make(options{Distance: 3}, equal(3), positive(), equal(1), equal(2)),
		"all kinds": make(options{Disjunction: true, Most: 2, Penalty: 1, Distance: 2},
			equal(2), literal.Intervals(3, true), literal.Tests(4, [][]bool{{true, true, false, false}, {false, false, true, true}, {false, true, false, false}}), positive()),
	}
}
