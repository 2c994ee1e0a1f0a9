package report

import (
	"math/big"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// Categories in plain words. An interval of integers is written with its first and last integer, as in "40 to 59"; an
// interval of other numbers as in "40 to under 60". The schema states which numbers are integers
// (table.Attribute.Whole).

// PlainCategories returns the names of an attribute's categories in plain words, for readers of pages, in the order
// of their codes.
func PlainCategories(a *table.Attribute) []string {
	names := a.Categories()
	for c := range names {
		switch {
		case c <= len(a.Cuts) && len(a.Cuts) > 0:
			names[c] = plainRange(a, c, c)
		case c < len(a.Values):
			if n, ok := table.ParseDecimal(names[c]); ok {
				names[c] = plainPart(a.Part, n.Rat().Num(), names[c])
			}
		}
	}
	return names
}

// plainCondition is like condition, but in plain words for readers of pages.
func plainCondition(a *table.Attribute, accepted []uint16) string {
	name := plainWord(plainName(a.Name))
	names := PlainCategories(a)
	if len(a.Cuts) > 0 {
		var parts []string
		for i := 0; i < len(accepted); {
			first := int(accepted[i])
			last := first
			for i++; i < len(accepted) && int(accepted[i]) == last+1 && last < len(a.Cuts); i++ {
				last++
			}
			if first > len(a.Cuts) {
				parts = append(parts, plainWord(names[first]))
			} else {
				parts = append(parts, plainRange(a, first, last))
			}
		}
		return name + " is " + strings.Join(parts, ", or ")
	}
	negative := 2*len(accepted) > len(names)
	var words []string
	for c := range names {
		if _, in := slices.BinarySearch(accepted, uint16(c)); in != negative {
			words = append(words, plainWord(names[c]))
		}
	}
	switch {
	case !negative:
		return name + " is " + choice(words, "or")
	case len(words) == 1:
		return name + " is not " + words[0]
	}
	return name + " is neither " + choice(words, "nor")
}

// plainHeading returns the heading h with the names of the label and its classes in plain words. The schema s must
// have a label.
func plainHeading(h Heading, s *table.Schema) Heading {
	l := s.Label
	h.Label = plainName(l.Column)
	label := &table.Attribute{Name: l.Column, Cuts: l.Cuts, Writing: l.Writing}
	switch {
	case l.AtLeast != "":
		label.Cuts = []table.Decimal{l.AtLeast}
		h.Positive, h.Negative = plainCondition(label, []uint16{1}), plainCondition(label, []uint16{0})
	case len(l.Cuts) > 0:
		h.Outcomes = nil
		for o := range label.Len() {
			h.Outcomes = append(h.Outcomes, plainCondition(label, []uint16{uint16(o)}))
		}
	}
	return h
}

// plainWord adds quotation marks to a name if readers could mistake it, or a word in it, for a part of the sentence.
func plainWord(name string) string {
	for _, w := range strings.Fields(name) {
		if slices.Contains([]string{"or", "and", "not", "nor", "is", "neither", "otherwise"}, strings.ToLower(w)) {
			return inQuotes(name)
		}
	}
	if strings.ContainsAny(name, `",;`) || strings.TrimRight(name, ".:!?") != name || strings.TrimSpace(name) != name || strings.ContainsFunc(name, unicode.IsControl) {
		return inQuotes(name)
	}
	return name
}

// plainRange describes, in plain words, the numbers in a range of adjacent intervals of an attribute. The parameters
// first and last are the indices of the first and the last interval.
func plainRange(a *table.Attribute, first, last int) string {
	n := len(a.Cuts)
	date := a.IsDate() && a.Part == "" && a.AgeAt == ""
	switch {
	case first == 0 && last == n && date:
		return "any date"
	case first == 0 && last == n:
		return "any number"
	case a.Whole():
		if text := wholeRange(a, first, last); text != "" {
			return text
		}
	}
	switch {
	case first == 0:
		return "under " + plainNumber(a.Cuts[last])
	case last == n:
		return plainNumber(a.Cuts[first-1]) + " or more"
	}
	return plainNumber(a.Cuts[first-1]) + " to under " + plainNumber(a.Cuts[last])
}

// wholeRange describes, in plain words, the integers in a range of adjacent intervals of an attribute. The parameters
// first and last are the indices of the first and the last interval. The result is "" if the intervals contain no
// integer.
func wholeRange(a *table.Attribute, first, last int) string {
	var low, high *big.Int // the least and the greatest integer; nil if there is no bound
	if first > 0 {
		low = ceiling(a.Cuts[first-1])
	}
	if last < len(a.Cuts) {
		high = ceiling(a.Cuts[last])
		high.Sub(high, big.NewInt(1))
	}
	bounded := func(least, most *big.Int) {
		if low == nil && least.Cmp(high) <= 0 {
			low = least
		}
		if high == nil && low.Cmp(most) <= 0 {
			high = most
		}
	}
	date := false
	switch {
	case a.Part == "month":
		bounded(big.NewInt(1), big.NewInt(12))
	case a.Part == "weekday":
		bounded(big.NewInt(1), big.NewInt(7))
	case a.IsDate():
		date = a.Part == "" && a.AgeAt == ""
	case low == nil && a.Least != "" && ceiling(a.Least).Cmp(high) == 0: // "0" is clearer than "under 1"
		low = high
	case high == nil && a.Most != "" && ceiling(a.Most).Cmp(low) == 0:
		high = low
	}
	if low != nil && high != nil && low.Cmp(high) > 0 {
		return ""
	}
	word := func(n *big.Int) string {
		if date {
			return plainDate(n)
		}
		return plainPart(a.Part, n, plainInteger(n, a))
	}
	switch {
	case low == nil && date:
		return "before " + word(high.Add(high, big.NewInt(1)))
	case high == nil && date:
		return word(low) + " or later"
	case low == nil:
		return "under " + word(high.Add(high, big.NewInt(1)))
	case high == nil:
		return word(low) + " or more"
	case low.Cmp(high) == 0:
		return word(low)
	}
	return word(low) + " to " + word(high)
}

// ceiling returns the least integer that is at least d.
func ceiling(d table.Decimal) *big.Int {
	r := d.Rat()
	n := new(big.Int).Neg(r.Num())
	return n.Neg(n.Div(n, r.Denom()))
}

// dateForm is the format, for time.Format, of dates on pages.
const dateForm = "2 January 2006"

// plainDate formats a date, given as a number of days since 1970-01-01, for readers of pages.
func plainDate(days *big.Int) string {
	return time.Unix(days.Int64()*24*60*60, 0).UTC().Format(dateForm)
}

// plainPart returns the name of a month or a weekday, such as "March" for 3. The parameter part states what the
// number n is: "month", "weekday", or another number derived from a date. If the number has no name, plainPart
// returns the given text.
func plainPart(part string, n *big.Int, text string) string {
	switch {
	case !n.IsInt64():
	case part == "month" && 1 <= n.Int64() && n.Int64() <= 12:
		return time.Month(n.Int64()).String()
	case part == "weekday" && 1 <= n.Int64() && n.Int64() <= 7: // 1 is Monday
		return time.Weekday(n.Int64() % 7).String()
	}
	return text
}

// plainInteger formats an integer of an attribute. Numbers derived from dates, such as years, have no thousands
// separators.
func plainInteger(n *big.Int, a *table.Attribute) string {
	if a.IsDate() {
		return strings.Replace(n.String(), "-", "−", 1)
	}
	return plainNumber(table.Decimal(n.String()))
}

// plainNumber formats a number with a typographic minus sign, and with thousands separators from 10,000 on.
func plainNumber(d table.Decimal) string {
	text, negative := strings.CutPrefix(string(d), "-")
	whole, fraction, point := strings.Cut(text, ".")
	if len(whole) > 4 {
		for at := len(whole) - 3; at > 0; at -= 3 {
			whole = whole[:at] + "," + whole[at:]
		}
	}
	if point {
		whole += "." + fraction
	}
	if negative {
		return "−" + whole
	}
	return whole
}
