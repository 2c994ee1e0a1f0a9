// Package declisttest provides small classes of decision lists for tests.
package declisttest

import (
	"math/big"

	"github.com/sibyl-dp/sibyl/class/classtest"
	"github.com/sibyl-dp/sibyl/internal/class/declist"
	"github.com/sibyl-dp/sibyl/internal/class/literal"
)

// A Case holds a small class of decision lists, and all possible records of the class.
type Case = classtest.Case[[]uint16, declist.List]

// Random returns a test case with a random class over one to three attributes, each of a random
// kind. The class contains at most the given number of decision lists, which must be at least 256.
func Random(draw classtest.Draw, most int) Case {
	o := declist.Options{Rules: draw(0, 4), Literals: draw(0, 2)}
	if draw(0, 2) == 0 {
		o.Penalty = int64(draw(1, 3))
	}
	categories := []int{2}
	attributes := []literal.Attribute{literal.Equal(2)}
	best, err := declist.New(attributes, o)
	if err != nil {
		panic(err)
	}
	domain := classtest.Records(categories)
	for range draw(1, 6) {
		categories, attributes = nil, nil
		for range draw(1, 3) {
			n := draw(1, 4)
			categories = append(categories, n)
			attributes = append(attributes, attribute(draw, n))
		}
		c, err := declist.New(attributes, o)
		if err == nil && c.Size().Cmp(big.NewInt(int64(most))) <= 0 { // all literals may be constant
			best, domain = c, classtest.Records(categories)
		}
	}
	return Case{Class: best, Domain: domain}
}

// attribute returns a random attribute with n categories.
func attribute(draw classtest.Draw, n int) literal.Attribute {
	switch draw(0, 4) {
	case 0:
		return literal.EqualOrNot(n)
	case 1:
		return literal.Intervals(n, false)
	case 2:
		var accepts [][]bool
		for set := 1; set < 1<<n-1; set++ {
			if draw(0, 3) == 0 {
				test := make([]bool, n)
				for c := range test {
					test[c] = set>>c&1 == 1
				}
				accepts = append(accepts, test)
			}
		}
		return literal.Tests(n, accepts)
	default:
		return literal.Equal(n)
	}
}

// Fixed returns test cases by name. Together they cover every feature of the class.
func Fixed() map[string]Case {
	make := func(o declist.Options, categories []int, attributes ...literal.Attribute) Case {
		c, err := declist.New(attributes, o)
		if err != nil {
			panic(err)
		}
		return Case{Class: c, Domain: classtest.Records(categories)}
	}
	binary := literal.Equal(2)
	return map[string]Case{
		"one antecedent":         make(declist.Options{}, []int{2, 1}, literal.Positive(), literal.Equal(1)),
		"one column":             make(declist.Options{}, []int{2}, binary),
		"two columns":            make(declist.Options{}, []int{2, 2}, binary, binary),
		"one rule":               make(declist.Options{Rules: 1, Literals: 2}, []int{3, 2}, literal.Equal(3), binary),
		"two rules of pairs":     make(declist.Options{Rules: 2, Literals: 2}, []int{2, 2, 2}, binary, binary, binary),
		"three rules":            make(declist.Options{Rules: 3}, []int{3, 2}, literal.Equal(3), binary),
		"a penalty":              make(declist.Options{Rules: 2, Penalty: 2}, []int{3, 2, 2}, literal.Equal(3), binary, binary),
		"a penalty and pairs":    make(declist.Options{Rules: 2, Literals: 2, Penalty: 1}, []int{3, 2}, literal.EqualOrNot(3), binary),
		"intervals":              make(declist.Options{Rules: 2}, []int{4, 2}, literal.Intervals(4, false), binary),
		"categories unasked":     make(declist.Options{Rules: 2, Literals: 2}, []int{4, 3}, literal.Tests(4, [][]bool{{true, false, true, false}, {false, true, false, false}}), literal.Tests(3, [][]bool{{false, false, true}})),
		"an attribute unasked":   make(declist.Options{Literals: 2}, []int{2, 3, 2}, literal.Positive(), literal.Tests(3, nil), literal.Tests(2, [][]bool{{true, false}})),
		"more rules than needed": make(declist.Options{Rules: 9}, []int{3}, literal.Equal(3)),
	}
}
