package table

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

// A category may stand for many values. A Writing says which of them is written where
// records become values again, in synthetic data. It is public, and nothing else uses it.

// A Writing says how the values of an attribute are written. Of an interval numbers are drawn,
// all that there are alike; of a group any value is taken, or always the first.
type Writing struct {
	Draw   string    // of cuts "integer": whole numbers; "uniform": those with so many Places; of groups "first"; "": none
	Places int       // digits after the point of "uniform", 1 to MostPlaces; 0 is UsualPlaces
	Listed []Decimal // in place of Draw: increasing numbers, at least one in every interval

	Least, Most Decimal // of Draw: the least number of the first interval, the greatest of the last

	Missing string // what is written for Other; "" is an empty field
}

const (
	drawInteger = "integer"
	drawUniform = "uniform"
	drawFirst   = "first"

	UsualPlaces = 2
	MostPlaces  = 9
)

// places is how many digits drawn numbers have after the point.
func (w *Writing) places() int {
	switch {
	case w.Draw == drawInteger:
		return 0
	case w.Places == 0:
		return UsualPlaces
	}
	return w.Places
}

// ranged tells whether numbers are drawn from the ranges of intervals.
func (w *Writing) ranged() bool { return w.Draw == drawInteger || w.Draw == drawUniform }

func (w *Writing) clone() Writing {
	c := *w
	c.Listed = append([]Decimal(nil), w.Listed...)
	return c
}

// fill writes numbers in canonical form.
func (w *Writing) fill() {
	fillCuts(w.Listed)
	for _, d := range []*Decimal{&w.Least, &w.Most} {
		if canonical, ok := ParseDecimal(string(*d)); ok {
			*d = canonical
		}
	}
}

// check checks what is written of an attribute with these cuts, of which there may be none,
// or with groups.
func (w *Writing) check(path, owner string, cuts []Decimal, groups bool) *fault {
	switch {
	case w.Draw != "" && (!w.ranged() && w.Draw != drawFirst || len(w.Listed) > 0):
		return faultf(path+".draw", `draw of %s must be "integer", "uniform", "first" or a list of numbers`, owner)
	case len(cuts) == 0 && (w.ranged() || len(w.Listed) > 0), !groups && w.Draw == drawFirst:
		return faultf(path+".draw", `draw of %s does not go with its values: "integer", "uniform" and lists are for cuts, "first" is for groups`, owner)
	case !w.ranged() && (w.Least != "" || w.Most != ""):
		return faultf(path, `least and most of %s go with draw = "integer" or draw = "uniform"`, owner)
	case w.Draw != drawUniform && w.Places != 0:
		return faultf(path+".places", `places of %s go with draw = "uniform"`, owner)
	case w.Places < 0 || w.Places > MostPlaces:
		return faultf(path+".places", "places of %s are outside 1..%d", owner, MostPlaces)
	}
	if len(w.Listed) > 0 {
		return w.checkListed(path, owner, cuts)
	}
	if w.ranged() {
		return w.checkDraw(path, owner, cuts)
	}
	return nil
}

func (w *Writing) checkListed(path, owner string, cuts []Decimal) *fault {
	for i, d := range w.Listed {
		if _, ok := ParseDecimal(string(d)); !ok {
			return faultf(at(path+".draw", i), "draw of %s has a number that is not a plain decimal such as 26 or 0.5", owner)
		}
		if i > 0 && w.Listed[i-1].Rat().Cmp(d.Rat()) >= 0 {
			return faultf(at(path+".draw", i), "the numbers in draw of %s must increase, but %.60s follows %.60s", owner, d, w.Listed[i-1])
		}
	}
	for i, part := range split(w.Listed, cuts) {
		if len(part) == 0 {
			return faultf(path+".draw", "draw of %s lists no number of the interval %s", owner, quote.Word(intervals(cuts)[i]))
		}
	}
	return nil
}

// split puts increasing numbers into the intervals of the cuts.
func split(numbers, cuts []Decimal) [][]Decimal {
	parts := make([][]Decimal, len(cuts)+1)
	i := 0
	for _, d := range numbers {
		for i < len(cuts) && cuts[i].Rat().Cmp(d.Rat()) <= 0 {
			i++
		}
		parts[i] = append(parts[i], d)
	}
	return parts
}

func (w *Writing) checkDraw(path, owner string, cuts []Decimal) *fault {
	for _, end := range []struct {
		key string
		d   Decimal
	}{{"least", w.Least}, {"most", w.Most}} {
		if end.d == "" {
			return faultf(path, "%s has a draw, and its first and last interval are open, so it needs least and most, the least and greatest number to draw", owner)
		}
		if _, ok := ParseDecimal(string(end.d)); !ok {
			return faultf(path+"."+end.key, "%s of %s is not a plain decimal such as 26 or 0.5", end.key, owner)
		}
	}
	ranges, ok := w.ranges(cuts)
	if !ok {
		return faultf(path, "%s has numbers that are too large to draw", owner)
	}
	for i, r := range ranges {
		if r.least > r.most && len(cuts) == 0 {
			return faultf(path, "least of %s exceeds its most, so no number can be drawn", owner)
		}
		if r.least > r.most {
			return faultf(path, "the interval %s of %s holds no number to draw; see its least, most and places", quote.Word(intervals(cuts)[i]), owner)
		}
	}
	return nil
}

// A span is whole numbers from least to most, in units of a power of ten.
type span struct{ least, most int64 }

// mostScaled bounds the numbers of a span.
const mostScaled = 1_000_000_000_000_000_000

// ranges returns the numbers of each interval, in units of the last digit. It fails where
// they are too large.
func (w *Writing) ranges(cuts []Decimal) ([]span, bool) {
	least, ok := scaledUp(w.Least, w.places())
	if !ok {
		return nil, false
	}
	var all []span
	for _, cut := range cuts {
		from, ok := scaledUp(cut, w.places())
		if !ok {
			return nil, false
		}
		all = append(all, span{least, from - 1})
		least = from
	}
	most, ok := scaledDown(w.Most, w.places())
	return append(all, span{least, most}), ok
}

// scaledDown is ⌊d·10^places⌋, unless that is too large.
func scaledDown(d Decimal, places int) (int64, bool) {
	x := d.Rat()
	x.Mul(x, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)))
	n := new(big.Int).Div(x.Num(), x.Denom()) // Euclidean, and the denominator is positive
	return n.Int64(), n.CmpAbs(big.NewInt(mostScaled)) < 0
}

// scaledUp is ⌈d·10^places⌉.
func scaledUp(d Decimal, places int) (int64, bool) {
	n, ok := scaledDown(d, places)
	if ok && new(big.Rat).SetFrac64(n, pow10(places)).Cmp(d.Rat()) < 0 {
		n++
	}
	return n, ok
}

func pow10(places int) int64 {
	n := int64(1)
	for range places {
		n *= 10
	}
	return n
}

// appendScaled appends the number n·10^-places with all its places.
func appendScaled(dst []byte, n int64, places int, mark byte) []byte {
	if n < 0 {
		dst, n = append(dst, '-'), -n
	}
	dst = fmt.Appendf(dst, "%d", n/pow10(places))
	if places > 0 {
		dst = append(dst, mark)
		dst = fmt.Appendf(dst, "%0*d", places, n%pow10(places))
	}
	return dst
}

// marked writes a number with a decimal mark.
func (d Decimal) marked(mark byte) string {
	if mark == '.' {
		return string(d)
	}
	return strings.Replace(string(d), ".", string(rune(mark)), 1)
}
