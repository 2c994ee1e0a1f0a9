package table

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

// A Condition is a condition on the value of an attribute in a synthetic row.
type Condition struct {
	Operator string   // "=", "≠", "<", "≤", "≥", ">" with one value, "in" and "not in" with any number
	Values   []string // values or names of categories; numbers in plain decimals
}

// Shares returns, for each category, the share of the values that a Drawer may write for it which
// satisfy all conditions. The share is 0 or 1 if the category determines the truth of the conditions.
// The category Other satisfies no comparison. Shares returns an error for a value that the attribute
// does not have, and for a comparison if the attribute has no order.
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
			return fmt.Errorf("the operator %s needs exactly one value", c.Operator)
		}
	case "in", "not in":
	default:
		return errors.New("unknown operator; the operators are =, ≠, <, ≤, ≥, >, in and not in")
	}
	return nil
}

// orders reports whether the operator is a comparison.
func (c Condition) orders() bool {
	return c.Operator == "<" || c.Operator == "≤" || c.Operator == "≥" || c.Operator == ">"
}

// compares reports whether a value satisfies the comparison. The argument is negative, 0 or positive
// if the value is less than, equal to or greater than the condition's value.
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

// asked is an attribute on which conditions are evaluated.
type asked struct {
	attribute *Attribute
	names     []string   // of the categories
	texts     [][]string // by category, the texts that may be written; nil if numbers are sampled
	spans     []span     // by category, the sampled numbers, in units of their last place
}

// named reports whether all values are names of categories.
func (d *asked) named(values []string) bool {
	return !slices.ContainsFunc(values, func(v string) bool { return d.category(v) < 0 })
}

// category returns the code of the category with that name, or of other if v is the text that is
// written for it, or -1.
func (d *asked) category(v string) int {
	if code := slices.Index(d.names, v); code >= 0 {
		return code
	}
	if d.attribute.Other != "" && v == d.attribute.Missing {
		return len(d.names) - 1
	}
	return -1
}

// test returns a function that evaluates a condition on a category and the text written for it.
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
		return nil, fmt.Errorf("attribute %s cannot be compared with %s; use = or in", quote.Word(a.Name), quote.Word(c.Values[0]))
	}
	x := bound.Rat()
	return func(code int, text string) bool {
		d, ok := ParseDecimal(text)
		return code < last && ok && c.compares(d.Rat().Cmp(x))
	}, nil
}

// narrow applies a condition to sampled numbers.
func (d *asked) narrow(c Condition, pieces []piece, shares []float64) error {
	a := d.attribute
	var numbers []Decimal
	for _, v := range c.Values {
		n, ok := ParseDecimal(v)
		if !ok {
			return fmt.Errorf("attribute %s has numbers, and %s is neither a number nor a category", quote.Word(a.Name), quote.Word(v))
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

// A piece is the set of numbers of an interval that satisfy the conditions so far.
type piece struct {
	span
	only    []int64 // if not nil, the set contains only these
	without []int64 // the set contains none of these
	whole   *span   // the interval; nil if it is still equal to span
}

// keep stores the interval before span changes.
func (p *piece) keep() {
	if p.whole == nil {
		whole := p.span
		p.whole = &whole
	}
}

// cut applies a comparison with a bound. Numbers are in units of 10^-places.
func (p *piece) cut(operator string, bound Decimal, places int) {
	p.keep()
	down, okDown := scaledDown(bound, places)
	up, okUp := scaledUp(bound, places)
	if !okDown || !okUp { // the bound is outside the range of all numbers
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

// common returns the listed numbers that p.only allows.
func (p *piece) common(listed []int64) []int64 {
	out := []int64{}
	for _, n := range listed {
		if p.only == nil || slices.Contains(p.only, n) {
			out = append(out, n)
		}
	}
	return out
}

// share returns the size of the set divided by the size of the interval.
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
