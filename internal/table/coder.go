package table

import (
	"slices"
	"sort"
)

// A Coder maps the text of a field to its category code, the index of the category in the attribute's list. Several
// goroutines may use a Coder at the same time.
type Coder struct {
	words *lexicon // nil if the attribute has cuts
	steps *steps
	dates *dateReader // reads the dates whose numbers words or steps map to codes; nil if the values are not dates
	other int         // the code of the category for all other values, or -1 if there is none
}

// Coder returns a Coder for the attribute, which must satisfy the checks of a schema. If the fields come from
// delimited text, the parameter file describes its format; numbers then have the format that the attribute's
// Spelling defines, and may have an exponent. If file is nil, numbers are plain decimals, as ParseDecimal reads
// them.
func (a *Attribute) Coder(file *File) *Coder {
	c := &Coder{other: -1, dates: a.dateReader()}
	if a.Other != "" {
		c.other = a.Len() - 1
	}
	if c.dates != nil && len(a.Cuts) > 0 {
		c.steps = newSteps(a.Cuts, &Spelling{}, nil)
		return c
	}
	if len(a.Cuts) > 0 {
		c.steps = newSteps(a.Cuts, &a.Spelling, file)
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

// Coder returns a Coder that maps the text of a label to the code of its outcome. If the label has two outcomes,
// code 1 is the positive outcome and code 0 the negative one. If the texts come from delimited text, the parameter
// file describes its format; otherwise it is nil.
func (l *Label) Coder(file *File) *Coder {
	if many := l.many(); many != nil {
		return many.Coder(file)
	}
	if l.AtLeast != "" {
		return &Coder{steps: newSteps([]Decimal{l.AtLeast}, &l.Spelling, file), other: -1}
	}
	c := &Coder{words: newLexicon(), other: -1}
	for code, values := range [][]string{l.Negative, l.Positive} {
		for _, v := range values {
			c.words.add(v, code)
		}
	}
	return c
}

// Code returns the code of the field's category, or ok = false if the value is outside the domain. An empty field
// is a missing value. The running time is constant for values and groups, and logarithmic in the number of cuts.
// Code allocates memory only if a cut has eighteen digits or more.
func (c *Coder) Code(field []byte) (code int, ok bool) {
	if c.dates != nil {
		var space [24]byte
		number, isDate := c.dates.number(space[:0], field)
		if !isDate {
			return c.other, c.other >= 0
		}
		field = number
	}
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

// Code returns the code of the category of one value, or ok = false if the value is outside the domain. It gives
// the same results as the Coder that a.Coder(nil) returns, but it compares the text with each value of the domain
// in turn. It is therefore slow, and meant for single values and tests.
func (a *Attribute) Code(raw string) (code int, ok bool) {
	if a.IsDate() {
		return a.Coder(nil).Code([]byte(raw))
	}
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
	if d, number := ParseDecimal(raw); number && len(a.Cuts) > 0 && !slices.Contains(a.MissingNumbers(), d) {
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

// A steps finds the interval that contains a number x among the intervals between increasing cuts. It also
// recognizes numbers that mean a missing value.
//
// To be fast, it compares integers. Let p be the maximum number of decimal places of the cuts and of the numbers
// that mean a missing value. Then cut·10^p is an integer, and x ≥ cut if and only if floor(x·10^p) ≥ cut·10^p. The
// integers are stored as int64, and x·10^p is clamped to ±scaleLimit. If one of the stored integers would reach
// scaleLimit in absolute value, numbers are compared digit by digit instead.
type steps struct {
	places   int       // p
	notation           // the format of x
	scaled   []int64   // cut·10^p; nil if one is too large
	exact    []numeral // the cuts if scaled is nil

	words        []string  // texts that mean a missing value
	missing      []int64   // n·10^p for each number n that means a missing value; nil if scaled is nil
	missingExact []numeral // the numbers that mean a missing value, if scaled is nil
}

const scaleLimit = 1_000_000_000_000_000_000

func newSteps(cuts []Decimal, spelling *Spelling, file *File) *steps {
	missing := spelling.missing()
	s := &steps{notation: spelling.notation(file), words: spelling.Missing}
	all := slices.Concat(cuts, missing)
	for _, d := range all {
		s.places = max(s.places, d.places())
	}
	scaled := make([]int64, len(all))
	for i, d := range all {
		scaled[i], _ = numeralOf(d).floorScaled(s.places)
	}
	if slices.ContainsFunc(scaled, func(v int64) bool { return v >= scaleLimit || v <= -scaleLimit }) {
		exact := make([]numeral, len(all))
		for i, d := range all {
			exact[i] = numeralOf(d)
		}
		s.exact, s.missingExact = exact[:len(cuts)], exact[len(cuts):]
	} else {
		s.scaled, s.missing = scaled[:len(cuts)], scaled[len(cuts):]
	}
	return s
}

func (s *steps) code(field []byte) (int, bool) {
	x, ok := s.parse(field)
	if !ok {
		return 0, false
	}
	if s.exact != nil {
		if slices.ContainsFunc(s.missingExact, func(n numeral) bool { return n.compare(x) == 0 }) {
			return 0, false
		}
		return sort.Search(len(s.exact), func(i int) bool { return s.exact[i].compare(x) > 0 }), true
	}
	v, whole := x.floorScaled(s.places)
	if len(s.missing) > 0 && whole && slices.Contains(s.missing, v) {
		return 0, false
	}
	low, high := 0, len(s.scaled)
	for low < high {
		middle := int(uint(low+high) / 2)
		if s.scaled[middle] <= v {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low, true
}
