package rule

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Rows of synthetic data contain values, not categories. A test may accept some values of a category and reject
// others. The degree to which a record satisfies a test is then the share of accepted values among the values of its
// category.

// Shares returns, for each category of the tested attributes, the share of its values that satisfy all tests on the
// attribute. The result columns lists the tested attributes, in increasing order, and shares has a list for each of
// them. A share is 1 if all values of the category satisfy the tests, and 0 if none do. The parameter within holds the
// distributions of numbers within categories, as for table.NewDrawer. A value of the category Other is neither less
// nor greater than any other value.
//
// Shares returns an error if a test has a value that the attribute does not have, or compares values of an attribute
// without an order.
func Shares(attributes []table.Attribute, tests []Test, within [][]*table.Density) (columns []int, shares [][]float64, err error) {
	columns, of, err := Restrict(attributes, tests, within)
	for _, r := range of {
		shares = append(shares, r.Shares)
	}
	return columns, shares, err
}

// A Restriction describes which values of an attribute satisfy all tests on it.
type Restriction struct {
	Shares []float64 // by category, the share of its values that satisfy the tests

	// Within and Texts describe, by category, the values that satisfy the tests: the distribution of the numbers, and
	// which of the texts of Attribute.Written do. They are defined where the share is above 0. If a category has no
	// density, its numbers or texts are uniform.
	Within []*table.Density
	Texts  [][]bool
}

// Restrict is like Shares, but also returns which values satisfy the tests. The results have one element for each
// tested attribute.
func Restrict(attributes []table.Attribute, tests []Test, within [][]*table.Density) (columns []int, restrictions []Restriction, err error) {
	of := make(map[int][]Test)
	for _, t := range tests {
		of[t.Attribute] = append(of[t.Attribute], t)
	}
	for j := range attributes {
		if of[j] == nil {
			continue
		}
		var densities []*table.Density
		if within != nil {
			densities = within[j]
		}
		own, err := restrict(&attributes[j], of[j], densities)
		if err != nil {
			return nil, nil, err
		}
		columns, restrictions = append(columns, j), append(restrictions, own)
	}
	return columns, restrictions, nil
}

// restrict determines which values of the attribute satisfy all tests. The parameter within holds the distributions of
// the numbers within its categories.
func restrict(a *table.Attribute, of []Test, within []*table.Density) (r Restriction, err error) {
	d := &written{attribute: a, names: a.Categories()}
	d.texts, d.ranges, d.places = a.Written()
	shares := make([]float64, a.Len())
	var tests []func(code int, text string) bool
	pieces := make([]piece, len(d.ranges))
	for i, r := range d.ranges {
		pieces[i] = piece{least: r[0], most: r[1], all: float64(r[1]-r[0]) + 1}
		if within != nil {
			pieces[i].within = within[i]
		}
	}
	for i := range shares {
		shares[i] = 1
	}
	for _, c := range of {
		if err := c.check(); err != nil {
			return r, err
		}
		if d.ranges != nil && !d.named(c.Values) {
			if err := d.narrow(c, pieces, shares); err != nil {
				return r, err
			}
			continue
		}
		test, err := d.test(c)
		if err != nil {
			return r, err
		}
		tests = append(tests, test)
	}
	r = Restriction{Shares: shares, Within: make([]*table.Density, len(shares)), Texts: make([][]bool, len(shares))}
	for code := range shares {
		if code < len(pieces) {
			shares[code] *= pieces[code].share()
			r.Within[code] = pieces[code].part()
		}
		texts := []string{""}
		if d.texts != nil {
			texts = d.texts[code]
		}
		kept := 0
		for _, text := range texts {
			keep := !slices.ContainsFunc(tests, func(test func(int, string) bool) bool { return !test(code, text) })
			if keep {
				kept++
			}
			r.Texts[code] = append(r.Texts[code], keep)
		}
		shares[code] *= float64(kept) / float64(len(texts))
	}
	return r, nil
}

// check returns an error if the number of values of the test does not suit its operator.
func (c Test) check() error {
	switch c.Operator {
	case "=", "≠", "<", "≤", "≥", ">":
		if len(c.Values) != 1 {
			return fmt.Errorf("the operator %s needs exactly one value", c.Operator)
		}
	case "in", "not in":
	default:
		return errors.New("unknown operator; the operators are =, ≠, <, ≤, ≥, >, in and not in")
	}
	return nil
}

// orders reports whether the operator of the test requires an order of the values: <, ≤, ≥ or >.
func (c Test) orders() bool {
	return c.Operator == "<" || c.Operator == "≤" || c.Operator == "≥" || c.Operator == ">"
}

// compares reports whether a value satisfies a test with one of the operators <, ≤, ≥ and >. The parameter comparison
// is negative if the value is less than the one in the test, zero if they are equal, and positive if it is greater.
func (c Test) compares(comparison int) bool {
	switch c.Operator {
	case "<":
		return comparison < 0
	case "≤":
		return comparison <= 0
	case "≥":
		return comparison >= 0
	}
	return comparison > 0
}

// written holds an attribute, and the values that synthetic rows may contain for each of its categories.
type written struct {
	attribute *table.Attribute
	names     []string   // the names of the categories
	texts     [][]string // by category, its values; nil if numbers are sampled from ranges
	ranges    [][2]int64 // by category, the range of its numbers, in units of 10^-places
	places    int
}

// named reports whether all given values are names of categories.
func (d *written) named(values []string) bool {
	return !slices.ContainsFunc(values, func(v string) bool { return d.category(v) < 0 })
}

// category returns the code of the category with the name v, or the code of Other if v is a text that means a missing
// value. It returns -1 if there is no such category.
func (d *written) category(v string) int {
	if code := slices.Index(d.names, v); code >= 0 {
		return code
	}
	if a := d.attribute; a.Other != "" && (slices.Contains(a.Missing, v) || len(a.Missing) == 0 && v == "") {
		return len(d.names) - 1
	}
	return -1
}

// test returns a function that reports whether a value satisfies the test c. The function receives the code of the
// category to which the value belongs, and the text of the value.
func (d *written) test(c Test) (func(code int, text string) bool, error) {
	a := d.attribute
	if !c.orders() {
		codes := make([]int, len(c.Values))
		for i, v := range c.Values {
			if codes[i] = d.category(v); codes[i] < 0 && !slices.ContainsFunc(d.texts, func(texts []string) bool { return slices.Contains(texts, v) }) {
				joined := ""
				if strings.Contains(v, " or ") {
					joined = `; "or" joins no conditions, but a condition may list values, as in ` + a.Name + " in {…}"
				}
				return nil, fmt.Errorf("attribute %s has no value %s; its categories are %s%s", quote.Word(a.Name), quote.Word(v), listed(d.names), joined)
			}
		}
		not := c.Operator == "≠" || c.Operator == "not in"
		return func(code int, text string) bool {
			in := slices.Contains(codes, code) || d.texts != nil && slices.Contains(c.Values, text)
			return in != not
		}, nil
	}
	last := len(d.names)
	if a.Other != "" {
		last--
	}
	if at := d.category(c.Values[0]); at >= 0 && at < last && (a.Ordered != nil && *a.Ordered || len(a.Cuts) > 0) {
		return func(code int, _ string) bool { return code < last && c.compares(code-at) }, nil
	}
	bound, ok := table.ParseDecimal(c.Values[0])
	if _, numbers := a.Numbers(); !ok || !numbers && len(a.Listed) == 0 {
		return nil, fmt.Errorf("attribute %s cannot be compared with %s by <, ≤, ≥ or >; use = or in", quote.Word(a.Name), quote.Word(c.Values[0]))
	}
	x := bound.Rat()
	return func(code int, text string) bool {
		d, ok := table.ParseDecimal(text)
		return code < last && ok && c.compares(d.Rat().Cmp(x))
	}, nil
}

// narrow applies the test c to an attribute of numbers: it restricts each piece to the numbers that satisfy the test.
// Values of the category Other satisfy the test only if the operator is ≠ or "not in". For any other operator, the
// share of Other becomes 0.
func (d *written) narrow(c Test, pieces []piece, shares []float64) error {
	a := d.attribute
	var numbers []table.Decimal
	for _, v := range c.Values {
		n, ok := a.ParseNumber(v)
		if !ok && a.IsDate() {
			return fmt.Errorf("attribute %s has dates, but %s is neither a date, such as 2020-01-31, nor a category", quote.Word(a.Name), quote.Word(v))
		}
		if !ok {
			return fmt.Errorf("attribute %s has numbers, but %s is neither a number, such as 1.5, nor a category", quote.Word(a.Name), quote.Word(v))
		}
		numbers = append(numbers, n)
	}
	not := c.Operator == "≠" || c.Operator == "not in"
	if a.Other != "" && !not {
		shares[len(shares)-1] = 0
	}
	for i := range pieces {
		p := &pieces[i]
		if c.orders() {
			p.cut(c.Operator, numbers[0], d.places)
			continue
		}
		var listed []int64
		for _, n := range numbers {
			if down, up, ok := n.Scaled(d.places); ok && up == down {
				listed = append(listed, down)
			}
		}
		if not {
			p.without = append(p.without, listed...)
		} else {
			p.only = p.common(listed)
		}
	}
	return nil
}

// A piece is the set of those numbers of a category's range that satisfy the tests applied so far: the numbers from
// least to most, except those that the field without lists. If the field only is not nil, the piece contains only
// numbers that it lists.
type piece struct {
	least, most   int64
	only, without []int64
	all           float64        // the size of the range
	within        *table.Density // the distribution of the numbers of the range; nil for the uniform one
}

// beyond is an integer that is greater than the numbers of all ranges.
const beyond = 1_000_000_000_000_000_000

// cut restricts the piece to the numbers that satisfy a comparison with a bound, such as those less than the bound if
// the operator is <.
func (p *piece) cut(operator string, bound table.Decimal, places int) {
	down, up, ok := bound.Scaled(places)
	if !ok { // beyond all numbers
		down, up = beyond, beyond
		if bound.Rat().Cmp(new(big.Rat)) < 0 {
			down, up = -beyond, -beyond
		}
	}
	switch operator {
	case "<":
		p.most = min(p.most, up-1)
	case "≤":
		p.most = min(p.most, down)
	case "≥":
		p.least = max(p.least, up)
	case ">":
		p.least = max(p.least, down+1)
	}
}

// common returns the listed numbers that are also in p.only, or all of them if p.only is nil.
func (p *piece) common(listed []int64) []int64 {
	out := []int64{}
	for _, n := range listed {
		if p.only == nil || slices.Contains(p.only, n) {
			out = append(out, n)
		}
	}
	return out
}

// chosen returns two lists of numbers from least to most: those of p.only that are not in p.without, and those of
// p.without. Both are in increasing order, without duplicates.
func (p *piece) chosen() (only, without []int64) {
	inside := func(numbers []int64) (in []int64) {
		for _, n := range numbers {
			if n >= p.least && n <= p.most {
				in = append(in, n)
			}
		}
		slices.Sort(in)
		return slices.Compact(in)
	}
	without = inside(p.without)
	return slices.DeleteFunc(inside(p.only), func(n int64) bool { return slices.Contains(without, n) }), without
}

// share returns the probability that a number sampled from the whole range is in the piece.
func (p *piece) share() float64 {
	only, without := p.chosen()
	switch {
	case p.only != nil:
		return p.of(only)
	case p.within == nil:
		return max(0, float64(p.most-p.least)+1-float64(len(without))) / p.all
	}
	return max(0, p.within.Between(p.least, p.most)-p.of(without))
}

// of returns the probability that a number sampled from the whole range is in a list of distinct numbers.
func (p *piece) of(numbers []int64) (sum float64) {
	if p.within == nil {
		return float64(len(numbers)) / p.all
	}
	for _, n := range numbers {
		sum += p.within.Between(n, n)
	}
	return sum
}

// part returns the distribution of a number sampled from the whole range, given that it is in the piece. It returns
// nil if this event has probability 0.
func (p *piece) part() *table.Density {
	only, without := p.chosen()
	d := p.within
	switch {
	case p.only == nil && p.least > p.most:
		return nil
	case d == nil && p.only == nil:
		d = table.NewDensity(p.least, []int64{p.most}, []float64{1})
	case d == nil && len(only) > 0:
		d = table.NewDensity(only[0], []int64{only[len(only)-1]}, []float64{1})
	case d == nil:
		return nil
	}
	if p.only != nil {
		return d.Only(only)
	}
	return d.Part(p.least, p.most, without)
}
