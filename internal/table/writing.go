package table

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

// A Writing defines which values synthetic rows contain for each category of an attribute. For an interval, a number of
// the interval is sampled, uniformly or from a Density. For a group, one of its values is sampled uniformly, or its
// first value is used. A Writing is public. Apart from synthetic data, it only affects whether reports print intervals
// as intervals of integers or of other numbers.
type Writing struct {
	// Draw states which values are sampled. For cuts, it is "integer", or "uniform" for numbers with the given
	// Places, or "day" for cuts that are dates. For groups, it may be "first": the first value is used. "" is the default.
	Draw   string
	Places int       // the number of digits after the point for "uniform", 1 to MostPlaces; 0 stands for UsualPlaces
	Listed []Decimal // for cuts, instead of Draw: the increasing list of numbers that are sampled, at least one in every interval

	Least, Most Decimal // for "integer", "uniform" and "day": the range of the numbers; it is optional for "integer", see Schema.Written
}

const (
	drawInteger = "integer"
	drawUniform = "uniform"
	drawDay     = "day" // for dates, whose numbers are days
	drawFirst   = "first"

	UsualPlaces = 2
	MostPlaces  = 9
)

// places returns the number of decimal places of sampled numbers.
func (w *Writing) places() int {
	switch {
	case w.Draw == drawInteger, w.Draw == drawDay:
		return 0
	case w.Places == 0:
		return UsualPlaces
	}
	return w.Places
}

// numeric reports whether the values of synthetic rows are sampled numbers or dates, according to the field Draw.
func (w *Writing) numeric() bool {
	return w.Draw == drawInteger || w.Draw == drawUniform || w.Draw == drawDay
}

// ranged reports whether the values of synthetic rows are numbers or dates sampled from the intervals between cuts.
func (w *Writing) ranged() bool { return w.numeric() && w.Least != "" }

// Whole reports whether the schema implies that all numbers of the attribute are integers. This holds for dates and
// their parts, and for attributes whose synthetic values are integers.
func (a *Attribute) Whole() bool {
	return a.IsDate() || a.Draw == drawInteger ||
		len(a.Listed) > 0 && !slices.ContainsFunc(a.Listed, func(d Decimal) bool { return d.places() > 0 })
}

func (w *Writing) clone() Writing {
	c := *w
	c.Listed = append([]Decimal(nil), w.Listed...)
	return c
}

// fill converts the numbers of the Writing to canonical decimals.
func (w *Writing) fill() {
	fillCuts(w.Listed)
	for _, d := range []*Decimal{&w.Least, &w.Most} {
		if canonical, ok := ParseDecimal(string(*d)); ok {
			*d = canonical
		}
	}
}

// check checks the Writing of an attribute. The parameter cuts holds the cuts of the attribute, if any, and the
// parameter groups states whether the attribute has groups. The parameter path is the position of the attribute in the
// schema, and owner names it in error messages.
func (w *Writing) check(path, owner string, cuts []Decimal, groups bool) *fault {
	switch {
	case w.Draw != "" && (!w.numeric() && w.Draw != drawFirst || len(w.Listed) > 0):
		return faultf(path+".draw", `"draw" of %s must be "integer", "uniform", "day", "first" or a list of numbers`, owner)
	case len(cuts) == 0 && (w.numeric() || len(w.Listed) > 0), !groups && w.Draw == drawFirst:
		return faultf(path+".draw", `"draw" of %s is not supported for its kind of categories: "integer", "uniform" and lists are for cuts, "first" is for groups`, owner)
	case !w.numeric() && (w.Least != "" || w.Most != ""):
		return faultf(path, `"least" and "most" of %s require draw = "integer" or draw = "uniform"; add one of them, or delete "least" and "most"`, owner)
	case w.Draw != drawUniform && w.Places != 0:
		return faultf(path+".places", `"places" of %s requires draw = "uniform"; set it, or delete "places"`, owner)
	case w.Places < 0 || w.Places > MostPlaces:
		return faultf(path+".places", "\"places\" of %s is %d, but it must be within 1..%d", owner, w.Places, MostPlaces)
	}
	if len(w.Listed) > 0 {
		return w.checkListed(path, owner, cuts)
	}
	if w.numeric() {
		return w.checkDraw(path, owner, cuts)
	}
	return nil
}

func (w *Writing) checkListed(path, owner string, cuts []Decimal) *fault {
	for i, d := range w.Listed {
		if _, ok := ParseDecimal(string(d)); !ok {
			return faultf(at(path+".draw", i), "\"draw\" of %s has %s, which is not a plain decimal such as 26 or 0.5", owner, quote.Word(string(d)))
		}
		if i > 0 && w.Listed[i-1].Rat().Cmp(d.Rat()) >= 0 {
			return faultf(at(path+".draw", i), "the numbers in \"draw\" of %s must increase, but %.60s follows %.60s", owner, d, w.Listed[i-1])
		}
	}
	for i, part := range split(w.Listed, cuts) {
		if len(part) == 0 {
			return faultf(path+".draw", "\"draw\" of %s has no number in the interval %s; add one", owner, quote.Word(intervals(texts(cuts))[i]))
		}
	}
	return nil
}

// split divides an increasing list of numbers into one list for each interval between the cuts.
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
	if w.Draw == drawInteger && w.Least == "" && w.Most == "" {
		return nil
	}
	for _, end := range []struct {
		key string
		d   Decimal
	}{{"least", w.Least}, {"most", w.Most}} {
		if end.d == "" {
			return faultf(path, "%s has the key \"draw\", so it also needs the keys \"least\" and \"most\", the least and the greatest number to draw", owner)
		}
		if _, ok := ParseDecimal(string(end.d)); !ok {
			return faultf(path+"."+end.key, "%q of %s is %s, which is not a plain decimal such as 26 or 0.5", end.key, owner, quote.Word(string(end.d)))
		}
	}
	ranges, ok := w.ranges(cuts)
	if !ok {
		return faultf(path, "%s has numbers that are too large to draw; change its keys \"least\", \"most\" or \"places\"", owner)
	}
	for i, r := range ranges {
		if r.least > r.most && len(cuts) == 0 {
			return faultf(path, "the key \"least\" of %s exceeds the key \"most\", so no number can be drawn", owner)
		}
		if r.least > r.most {
			return faultf(path, "the interval %s of %s contains no number to draw; %schange its keys \"least\", \"most\" or \"places\"", quote.Word(intervals(texts(cuts))[i]), owner, surplus(cuts, ranges))
		}
	}
	return nil
}

// surplus returns a part of an error message that lists cuts to delete, so that each remaining interval contains a
// number. It returns "" if no cut would be left. The parameter ranges holds the numbers of each interval.
func surplus(cuts []Decimal, ranges []span) string {
	var names []string
	least, most := ranges[0].least, ranges[len(cuts)].most
	for i, cut := range cuts {
		if from := ranges[i+1].least; from > least && from <= most {
			least = from
		} else {
			names = append(names, string(cut))
		}
	}
	switch {
	case len(names) == len(cuts):
		return ""
	case len(names) == 1:
		return "delete the cut " + names[0] + ", or "
	}
	return "delete the cuts " + strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1] + ", or "
}

// A span is the set of integers from least to most. They represent decimal numbers, in units of a common decimal place.
type span struct{ least, most int64 }

// mostScaled is the maximum absolute value of the integers of a span.
const mostScaled = 1_000_000_000_000_000_000

// ranges returns the numbers of each interval between cuts, as integers in units of the last decimal place. The boolean
// result is false if the numbers are too large.
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

// Scaled returns the number multiplied by 10^places, first rounded down and then rounded up. ok is false if the results
// are too large.
func (d Decimal) Scaled(places int) (down, up int64, ok bool) {
	if down, ok = scaledDown(d, places); ok {
		up, ok = scaledUp(d, places)
	}
	return down, up, ok
}

// scaledDown returns the number multiplied by 10^places and rounded down. The boolean result is false if the result is
// too large.
func scaledDown(d Decimal, places int) (int64, bool) {
	x := d.Rat()
	x.Mul(x, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)))
	n := new(big.Int).Div(x.Num(), x.Denom()) // Euclidean division, which rounds down for a positive denominator
	return n.Int64(), n.CmpAbs(big.NewInt(mostScaled)) < 0
}

// scaledUp returns the number multiplied by 10^places and rounded up. The boolean result is false if the result is too
// large.
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

// appendScaled appends the text of the number n·10^-places, with the given number of digits after the decimal mark.
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

// marked returns the text of the decimal, with the given decimal mark instead of a point.
func (d Decimal) marked(mark byte) string {
	if mark == '.' {
		return string(d)
	}
	return strings.Replace(string(d), ".", string(rune(mark)), 1)
}

// texts converts decimals to strings.
func texts(decimals []Decimal) (all []string) {
	for _, d := range decimals {
		all = append(all, string(d))
	}
	return all
}
