package table

import (
	"math/big"
	"sort"
)

// A Coder turns the text of a field into the code of its category. It may be
// used by several goroutines at once.
type Coder struct {
	words *lexicon // nil for numbers
	steps *steps
	other int // -1 where there is none
}

// Coder prepares the attribute for coding numbers that have this decimal mark, '.'
// or ','; the attribute must be well-formed.
func (a *Attribute) Coder(decimal byte) *Coder {
	c := &Coder{other: -1}
	if a.Other != "" {
		c.other = a.Len() - 1
	}
	if len(a.Cuts) > 0 {
		c.steps = newSteps(a.Cuts, decimal)
		return c
	}
	c.words = newLexicon()
	for code, v := range a.Values {
		c.words.add(v, code)
	}
	for code, g := range a.Groups {
		for _, v := range g.Values {
			c.words.add(v, code)
		}
	}
	return c
}

// Coder prepares the label for coding, as that of an attribute: code 1 is positive,
// 0 negative, and more than two outcomes have their numbers.
func (l *Label) Coder(decimal byte) *Coder {
	if many := l.many(); many != nil {
		return many.Coder(decimal)
	}
	if l.AtLeast != "" {
		return &Coder{steps: newSteps([]Decimal{l.AtLeast}, decimal), other: -1}
	}
	c := &Coder{words: newLexicon(), other: -1}
	for code, values := range [][]string{l.Negative, l.Positive} {
		for _, v := range values {
			c.words.add(v, code)
		}
	}
	return c
}

// Code is the category of the field, an empty one being a missing value. ok is
// false where the value lies outside the domain. It takes constant time for
// values and groups, logarithmic time for cuts, and allocates nothing, except
// for cuts of eighteen digits and more.
func (c *Coder) Code(field []byte) (code int, ok bool) {
	if c.steps != nil {
		code, ok = c.steps.code(field)
	} else {
		code, ok = c.words.code(field)
	}
	if !ok && c.other >= 0 {
		return c.other, true
	}
	return code, ok
}

// Code is what the attribute's Coder returns for the text. It prepares nothing
// and searches the whole domain, so it serves single values and tests.
func (a *Attribute) Code(raw string) (code int, ok bool) {
	for code, v := range a.Values {
		if v == raw {
			return code, true
		}
	}
	for code, g := range a.Groups {
		for _, v := range g.Values {
			if v == raw {
				return code, true
			}
		}
	}
	if d, number := ParseDecimal(raw); number && len(a.Cuts) > 0 {
		x := d.Rat()
		for code < len(a.Cuts) && a.Cuts[code].Rat().Cmp(x) <= 0 {
			code++
		}
		return code, true
	}
	if a.Other != "" {
		return a.Len() - 1, true
	}
	return 0, false
}

// steps finds the interval of a number among increasing cuts.
//
// With p the most decimal places of any cut, every cut is a whole multiple of
// 10^-p, so x ≥ cut if and only if floor(x·10^p) ≥ cut·10^p: whatever follows
// place p in x does not matter. Where all |cut|·10^p stay below scaleLimit,
// these are int64, and numbers beyond are cut off there.
type steps struct {
	places int
	mark   byte       // the decimal mark of the numbers to code
	scaled []int64    // nil where a cut is too large
	exact  []*big.Rat // then in use
}

const scaleLimit = 1_000_000_000_000_000_000

func newSteps(cuts []Decimal, mark byte) *steps {
	s := &steps{mark: mark}
	for _, cut := range cuts {
		s.places = max(s.places, cut.places())
	}
	for _, cut := range cuts {
		v, _ := floorScaled([]byte(cut), s.places, '.')
		if v >= scaleLimit || v <= -scaleLimit {
			s.scaled = nil
			break
		}
		s.scaled = append(s.scaled, v)
	}
	if s.scaled == nil {
		for _, cut := range cuts {
			s.exact = append(s.exact, cut.Rat())
		}
	}
	return s
}

func (s *steps) code(field []byte) (int, bool) {
	if s.exact != nil {
		d, ok := parseMarked(string(field), s.mark)
		if !ok {
			return 0, false
		}
		x := d.Rat()
		return sort.Search(len(s.exact), func(i int) bool { return s.exact[i].Cmp(x) > 0 }), true
	}
	x, ok := floorScaled(field, s.places, s.mark)
	if !ok {
		return 0, false
	}
	low, high := 0, len(s.scaled)
	for low < high {
		middle := int(uint(low+high) / 2)
		if s.scaled[middle] <= x {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low, true
}

// floorScaled is floor(x·10^places) for the plain decimal x with the mark in the field, cut
// off at ±scaleLimit (one further below, where x has more places). ok is false
// where the field is not a plain decimal.
func floorScaled(field []byte, places int, mark byte) (scaled int64, ok bool) {
	negative := false
	if len(field) > 0 && (field[0] == '-' || field[0] == '+') {
		negative = field[0] == '-'
		field = field[1:]
	}
	var m int64
	point, digits, after, rest := false, false, 0, false
	for _, c := range field {
		if c == mark && !point {
			point = true
			continue
		}
		d := int64(c) - '0'
		if d < 0 || d > 9 {
			return 0, false
		}
		digits = true
		if point {
			if after == places {
				rest = rest || d != 0
				continue
			}
			after++
		}
		m = shift(m, d)
	}
	if !digits {
		return 0, false
	}
	for ; after < places && m != 0; after++ {
		m = shift(m, 0)
	}
	if !negative {
		return m, true
	}
	if rest {
		return -m - 1, true
	}
	return -m, true
}

// shift is 10m + d, at most scaleLimit.
func shift(m, d int64) int64 {
	if m >= scaleLimit/10 {
		return scaleLimit
	}
	return 10*m + d
}
