package table

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

// A Condition is asked of the value that is written for an attribute.
type Condition struct {
	Operator string   // "=", "≠", "<", "≤", "≥", ">" with one value, "in" and "not in" with any number
	Values   []string // values or names of categories; numbers in plain decimals
}

// Shares returns, for each category of an attribute that can be written, the share of the
// values that may be written for it that satisfy all conditions: 0 or 1 where the categories
// decide that. What stands for Other is neither less nor greater than anything. It fails for
// a value that the attribute does not have, or an order that it has not.
func (a *Attribute) Shares(of []Condition) ([]float64, error) {
	d := &asked{attribute: a, names: a.Categories()}
	if a.ranged() {
		d.spans, _ = a.ranges(a.Cuts)
	} else {
		d.texts = a.texts('.')
	}
	shares := make([]float64, a.Len())
	var tests []func(code int, text string) bool
	pieces := make([]piece, len(d.spans))
	for i, s := range d.spans {
		pieces[i] = piece{span: s}
	}
	for i := range shares {
		shares[i] = 1
	}
	for _, c := range of {
		if err := c.check(); err != nil {
			return nil, err
		}
		if d.spans != nil && !d.named(c.Values) {
			if err := d.narrow(c, pieces, shares); err != nil {
				return nil, err
			}
			continue
		}
		test, err := d.test(c)
		if err != nil {
			return nil, err
		}
		tests = append(tests, test)
	}
	for code := range shares {
		if code < len(pieces) {
			shares[code] *= pieces[code].share()
		}
		texts := []string{""}
		if d.texts != nil {
			texts = d.texts[code]
		}
		kept := 0
		for _, text := range texts {
			if !slices.ContainsFunc(tests, func(test func(int, string) bool) bool { return !test(code, text) }) {
				kept++
			}
		}
		shares[code] *= float64(kept) / float64(len(texts))
	}
	return shares, nil
}

func (c Condition) check() error {
	switch c.Operator {
	case "=", "≠", "<", "≤", "≥", ">":
		if len(c.Values) != 1 {
			return fmt.Errorf("%s takes one value", c.Operator)
		}
	case "in", "not in":
	default:
		return errors.New("a condition is one of = ≠ < ≤ ≥ > in, not in")
	}
	return nil
}

// orders tells whether the condition asks for an order.
func (c Condition) orders() bool {
	return c.Operator == "<" || c.Operator == "≤" || c.Operator == "≥" || c.Operator == ">"
}

// compares tells whether a value satisfies the condition that compares so with the one
// that is given.
func (c Condition) compares(comparison int) bool {
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

// asked is an attribute of which conditions are asked.
type asked struct {
	attribute *Attribute
	names     []string   // of categories
	texts     [][]string // that may be written, nil where numbers are drawn
	spans     []span     // of drawn numbers, in units of their last place
}

// named tells whether all values name categories.
func (d *asked) named(values []string) bool {
	return !slices.ContainsFunc(values, func(v string) bool { return d.category(v) < 0 })
}

// category returns the category of that name, or what stands for other, -1 for none.
func (d *asked) category(v string) int {
	if code := slices.Index(d.names, v); code >= 0 {
		return code
	}
	if d.attribute.Other != "" && v == d.attribute.Missing {
		return len(d.names) - 1
	}
	return -1
}

// test returns a condition on texts and categories.
func (d *asked) test(c Condition) (func(code int, text string) bool, error) {
	a := d.attribute
	if !c.orders() {
		for _, v := range c.Values {
			if d.category(v) < 0 && !slices.ContainsFunc(d.texts, func(texts []string) bool { return slices.Contains(texts, v) }) {
				return nil, fmt.Errorf("attribute %s has no value %s", quote.Word(a.Name), quote.Word(v))
			}
		}
		not := c.Operator == "≠" || c.Operator == "not in"
		return func(code int, text string) bool {
			in := slices.ContainsFunc(c.Values, func(v string) bool { return d.category(v) == code || d.texts != nil && v == text })
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
	bound, ok := ParseDecimal(c.Values[0])
	if _, numbers := a.Numbers(); !ok || !numbers && len(a.Listed) == 0 {
		return nil, fmt.Errorf("attribute %s has no order in which %s stands; write = or in", quote.Word(a.Name), quote.Word(c.Values[0]))
	}
	x := bound.Rat()
	return func(code int, text string) bool {
		d, ok := ParseDecimal(text)
		return code < last && ok && c.compares(d.Rat().Cmp(x))
	}, nil
}

// narrow asks a condition on drawn numbers.
func (d *asked) narrow(c Condition, pieces []piece, shares []float64) error {
	a := d.attribute
	var numbers []Decimal
	for _, v := range c.Values {
		n, ok := ParseDecimal(v)
		if !ok {
			return fmt.Errorf("attribute %s has numbers, and no value %s", quote.Word(a.Name), quote.Word(v))
		}
		numbers = append(numbers, n)
	}
	not := c.Operator == "≠" || c.Operator == "not in"
	if a.Other != "" && !not {
		shares[len(shares)-1] = 0
	}
	places := a.places()
	for i := range pieces {
		p := &pieces[i]
		if c.orders() {
			p.cut(c.Operator, numbers[0], places)
			continue
		}
		var listed []int64
		for _, n := range numbers {
			down, _ := scaledDown(n, places)
			if up, ok := scaledUp(n, places); ok && up == down {
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

// A piece is what conditions leave of the numbers of an interval.
type piece struct {
	span
	only    []int64 // these alone, nil for all
	without []int64
	whole   *span // the interval, nil while it is the span
}

func (p *piece) keep() {
	if p.whole == nil {
		whole := p.span
		p.whole = &whole
	}
}

func (p *piece) cut(operator string, bound Decimal, places int) {
	p.keep()
	down, okDown := scaledDown(bound, places)
	up, okUp := scaledUp(bound, places)
	if !okDown || !okUp { // beyond all numbers
		down, up = mostScaled, mostScaled
		if bound.Rat().Cmp(new(big.Rat)) < 0 {
			down, up = -mostScaled, -mostScaled
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

func (p *piece) common(listed []int64) []int64 {
	out := []int64{}
	for _, n := range listed {
		if p.only == nil || slices.Contains(p.only, n) {
			out = append(out, n)
		}
	}
	return out
}

// share is the share of the interval's numbers that is left.
func (p *piece) share() float64 {
	p.keep()
	all := float64(p.whole.most-p.whole.least) + 1
	inside := func(numbers []int64) []int64 {
		var in []int64
		for _, n := range numbers {
			if n >= p.least && n <= p.most && !slices.Contains(in, n) {
				in = append(in, n)
			}
		}
		return in
	}
	out := inside(p.without)
	if p.only != nil {
		in := inside(p.only)
		return float64(len(slices.DeleteFunc(in, func(n int64) bool { return slices.Contains(out, n) }))) / all
	}
	return max(0, float64(p.most-p.least)+1-float64(len(out))) / all
}
