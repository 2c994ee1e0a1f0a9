package table

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

// Dates defines how the dates of an attribute are written, and which number represents a date:
//   - If Part is given, the number is this part of the date, such as its month.
//   - If AgeAt is given, the number is an age.
//   - Otherwise it is the number of days since 1970-01-01. Then cuts are such numbers, too; schema files write them
//     as dates in ISO 8601.
//
// The zero value is for attributes whose values are not dates.
type Dates struct {
	Format string // "iso", "d.m.y", "m/d/y" or "epoch"; "" if the values are not dates
	Part   string // the derived number is this part of the date: "year", "month", "weekday" or "day"; "" for the whole date
	AgeAt  string // the derived number is the age in completed years at this date in ISO 8601; "" for the date itself
}

var (
	dateFormats = []string{"iso", "d.m.y", "m/d/y", "epoch"}
	dateParts   = []string{"year", "month", "weekday", "day"}
)

// IsDateFormat reports whether the text is a valid value of Dates.Format, such as "iso".
func IsDateFormat(format string) bool { return slices.Contains(dateFormats, format) }

// whole reports whether a date is represented by its number of days since 1970-01-01, rather than by a part of the
// date or by an age.
func (d *Dates) whole() bool { return d.Format != "" && d.Part == "" && d.AgeAt == "" }

// IsDate reports whether the values of the attribute are dates.
func (a *Attribute) IsDate() bool { return a.Format != "" }

// CutText returns the text of the cut with the given index. It is a date in ISO 8601 if the attribute's cuts are
// dates, and otherwise a number.
func (a *Attribute) CutText(i int) string { return a.dayText(a.Cuts[i]) }

// dayText formats a number of the attribute, such as a cut. If the attribute's cuts are dates, the number counts days
// since 1970-01-01, and dayText returns the date in the format of ISO 8601.
func (a *Attribute) dayText(number Decimal) string {
	if !a.Dates.whole() {
		return string(number)
	}
	days, err := strconv.ParseInt(string(number), 10, 32)
	if err != nil {
		return string(number) // cannot happen for a well-formed schema
	}
	return isoDate(days)
}

// CutTexts returns the texts of all cuts. They are dates in ISO 8601 if the attribute's cuts are dates, and otherwise
// numbers.
func (a *Attribute) CutTexts() (texts []string) {
	for i := range a.Cuts {
		texts = append(texts, a.CutText(i))
	}
	return texts
}

// RangeTexts returns the texts of the attribute's minimum and maximum, the fields Least and Most. They are dates in
// ISO 8601 if the attribute's cuts are dates, and empty if the attribute has no range.
func (a *Attribute) RangeTexts() (least, most string) { return a.dayText(a.Least), a.dayText(a.Most) }

// ParseDay reads a date in ISO 8601, such as 2020-01-31, and returns it as a cut: the number of days since
// 1970-01-01. This day and all later ones lie in the interval above the cut.
func ParseDay(text string) (cut Decimal, ok bool) {
	days, fault := parseDate([]byte(text), "iso")
	return Decimal(strconv.FormatInt(days, 10)), fault == isDate && len(text) == len(time.DateOnly)
}

// ParseNumber reads the text of a cut, or of another limit of the attribute's numbers. If the attribute's cuts are
// dates, the text must be a date in ISO 8601 or in the attribute's format, and the result is the number of days since
// 1970-01-01. Otherwise the text must be a decimal number.
func (a *Attribute) ParseNumber(text string) (Decimal, bool) {
	if !a.Dates.whole() {
		return ParseDecimal(text)
	}
	days, wrong := parseDate([]byte(text), a.Format)
	return Decimal(strconv.FormatInt(days, 10)), wrong == isDate
}

// appendDay appends the text of a date in the given format. The parameter days is the date as a number of days since
// 1970-01-01.
func appendDay(dst []byte, days int64, format string) []byte {
	layout := time.DateOnly
	switch format {
	case "epoch":
		return strconv.AppendInt(dst, days*daySeconds, 10)
	case "d.m.y":
		layout = "02.01.2006"
	case "m/d/y":
		layout = "01/02/2006"
	}
	return time.Unix(days*daySeconds, 0).UTC().AppendFormat(dst, layout)
}

func isoDate(days int64) string { return time.Unix(days*daySeconds, 0).UTC().Format(time.DateOnly) }

const daySeconds = 24 * 60 * 60

// firstDay and finalDay are the earliest and the latest date that can be read, in days since 1970-01-01.
var firstDay, finalDay = dayOf(1, 1, 1), dayOf(9999, 12, 31)

// dayOf returns the number of days from 1970-01-01 to a date.
func dayOf(year, month, day int) int64 {
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Unix() / daySeconds
}

// A dateFault is the reason why a text is not a valid date; the value isDate means that it is valid.
type dateFault int

const (
	isDate dateFault = iota
	otherText
	impossibleDate // such as 31 February
)

// parseDate reads a date in the given format and returns the number of days since 1970-01-01. ISO 8601 is accepted
// for every format, and a time of day after the date is ignored. In the formats d.m.y and m/d/y, the fields may be
// separated by points, slashes or hyphens.
func parseDate(text []byte, format string) (days int64, fault dateFault) {
	if fields, ok := dateFields(text, [3]int{4, 2, 2}, "-"); ok {
		return daysOf(fields[0], fields[1], fields[2])
	}
	switch format {
	case "epoch":
		return parseEpoch(text)
	case "d.m.y":
		if fields, ok := dateFields(text, [3]int{-2, -2, 4}, "./-"); ok {
			return daysOf(fields[2], fields[1], fields[0])
		}
	case "m/d/y":
		if fields, ok := dateFields(text, [3]int{-2, -2, 4}, "./-"); ok {
			return daysOf(fields[2], fields[0], fields[1])
		}
	}
	return 0, otherText
}

// dateFields reads three fields of digits and the separators between them. Both separators must be the same
// character, one of the parameter separators. A time of day may follow. A positive element of widths is the exact
// number of digits of a field, and a negative element is the negated maximum number of digits.
func dateFields(text []byte, widths [3]int, separators string) (fields [3]int, ok bool) {
	var separator byte
	for i, width := range widths {
		if i > 0 {
			if len(text) == 0 || strings.IndexByte(separators, text[0]) < 0 || i == 2 && text[0] != separator {
				return fields, false
			}
			separator, text = text[0], text[1:]
		}
		n := 0
		for n < len(text) && n < max(width, -width) && '0' <= text[n] && text[n] <= '9' {
			fields[i] = 10*fields[i] + int(text[n]-'0')
			n++
		}
		if n == 0 || width > 0 && n != width {
			return fields, false
		}
		text = text[n:]
	}
	return fields, len(text) == 0 || isClock(text)
}

// isClock reports whether the text after a date is a time of day. It must begin with a blank, a comma and a blank,
// or the letter T, and have at least hours and minutes.
func isClock(text []byte) bool {
	if rest, found := bytes.CutPrefix(text, []byte(", ")); found {
		text = rest
	} else if text[0] != ' ' && text[0] != 'T' {
		return false
	} else {
		text = text[1:]
	}
	return len(text) >= 4 && '0' <= text[0] && text[0] <= '9' && bytes.IndexByte(text, ':') > 0 && len(bytes.Trim(text, "0123456789:.,+-ZAPMapm ")) == 0
}

func daysOf(year, month, day int) (int64, dateFault) {
	if year < 1 || month < 1 || month > 12 || day < 1 || day > time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day() {
		return 0, impossibleDate
	}
	return dayOf(year, month, day), isDate
}

// parseEpoch reads a number of seconds since 1970-01-01, which may have decimals, and converts it to whole
// days since then.
func parseEpoch(text []byte) (int64, dateFault) {
	whole, fraction, decimals := strings.Cut(string(text), ".")
	if strings.Trim(fraction, "0123456789") != "" || decimals && fraction == "" || whole == "" || strings.Trim(strings.TrimPrefix(whole, "-"), "0123456789") != "" {
		return 0, otherText
	}
	seconds, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return 0, otherText
	}
	days := seconds / daySeconds
	if seconds%daySeconds < 0 || seconds%daySeconds == 0 && whole[0] == '-' && strings.Trim(fraction, "0") != "" {
		days--
	}
	if days < firstDay || days > finalDay {
		return 0, impossibleDate
	}
	return days, isDate
}

// A dateReader reads the texts of dates and returns the number that represents each date: a part of the date, an age,
// or a number of days (see Dates).
type dateReader struct {
	Dates
	missing []int64 // dates that mean a missing value
	words   []string
	at      time.Time // the date of the attribute's AgeAt
}

// dateReader returns a reader of the attribute's dates, or nil if its values are not dates.
func (a *Attribute) dateReader() *dateReader {
	if a.Format == "" {
		return nil
	}
	r := &dateReader{Dates: a.Dates, missing: a.missingDays(), words: a.Missing}
	r.at, _ = time.Parse(time.DateOnly, a.AgeAt)
	return r
}

// missingDays returns the dates that mean a missing value, as increasing numbers of days since 1970-01-01.
func (a *Attribute) missingDays() (days []int64) {
	for _, text := range a.Missing {
		if day, fault := parseDate([]byte(text), a.Format); fault == isDate {
			days = append(days, day)
		}
	}
	slices.Sort(days)
	return slices.Compact(days)
}

// number appends to dst, as text, the number that represents the date in the field (see Dates). It returns false if
// the field is not a date or means a missing value.
func (r *dateReader) number(dst, field []byte) (text []byte, ok bool) {
	days, fault := parseDate(field, r.Format)
	if fault != isDate || slices.Contains(r.missing, days) || slices.Contains(r.words, string(field)) {
		return nil, false
	}
	return strconv.AppendInt(dst, r.derived(days), 10), true
}

// derived returns the number that represents a date: a part of the date, an age, or the number of days itself (see
// Dates). The parameter days is the date as a number of days since 1970-01-01.
func (r *dateReader) derived(days int64) int64 {
	if r.whole() {
		return days
	}
	t := time.Unix(days*daySeconds, 0).UTC()
	switch r.Part {
	case "year":
		return int64(t.Year())
	case "month":
		return int64(t.Month())
	case "weekday": // 1970-01-01 was a Thursday
		return ((days+3)%7+7)%7 + 1
	case "day":
		return int64(t.Day())
	}
	age := r.at.Year() - t.Year()
	if r.at.Month() < t.Month() || r.at.Month() == t.Month() && r.at.Day() < t.Day() {
		age--
	}
	return int64(age)
}

// checkDates checks the keys of an attribute that concern dates, such as "format" and "age_at".
func (a *Attribute) checkDates(path, owner string) *fault {
	switch {
	case a.Format == "" && a.Part != "":
		return faultf(path+".part", `%s has "part", so it needs "format": how its dates are written, such as "iso" or "d.m.y"`, owner)
	case a.Format == "" && a.AgeAt != "":
		return faultf(path+".age_at", `%s has "age_at", so it needs "format": how its dates are written, such as "iso" or "d.m.y"`, owner)
	case a.Format == "" && a.Draw == drawDay:
		return faultf(path+".draw", `%s has draw = "day", so it needs "format": how its dates are written, such as "iso" or "d.m.y"`, owner)
	case a.Format == "":
		return nil
	case !IsDateFormat(a.Format):
		return faultf(path+".format", `"format" of %s must be "iso", "d.m.y", "m/d/y" or "epoch", not %s`, owner, quote.Word(a.Format))
	case a.Part != "" && a.AgeAt != "":
		return faultf(path+".age_at", "%s must have only one of \"part\" and \"age_at\"", owner)
	case a.Part != "" && !slices.Contains(dateParts, a.Part):
		return faultf(path+".part", `"part" of %s must be "year", "month", "weekday" or "day", not %s`, owner, quote.Word(a.Part))
	case a.Kind != "" && a.Kind != DateKind:
		return faultf(path+".kind", `%s has the key "format", so its values are dates: write kind = "date"`, owner)
	case a.Spelled():
		return faultf(path+".format", "%s has the key \"format\", so its values are dates; leave out %s", owner, a.Spelling.Keys())
	case !a.whole() && (a.Draw != "" || a.Places != 0 || a.Least != "" || a.Most != "" || len(a.Listed) > 0):
		return faultf(path+".format", "%s uses a part of a date or an age, and synthetic data writes whole dates only; leave out \"draw\", \"places\", \"least\" and \"most\"", owner)
	case a.Places != 0 || len(a.Listed) > 0 || a.Draw != "" && a.Draw != drawDay || a.Draw == "" && (a.Least != "" || a.Most != ""):
		return faultf(path+".format", `%s has the key "format", so its values are dates: write draw = "day", with "least" and "most", and leave out "places"`, owner)
	case a.whole() && len(a.Values)+len(a.Groups) > 0:
		return faultf(path+".format", "%s has the key \"format\", so it needs cuts that are dates; or add the key \"part\" or \"age_at\", and list the numbers of that part", owner)
	}
	if a.Draw == drawDay {
		return a.checkDays(path, owner)
	}
	if a.AgeAt != "" {
		if _, ok := ParseDay(a.AgeAt); !ok {
			return faultf(path+".age_at", `"age_at" of %s must be a date such as "2026-01-01"`, owner)
		}
	}
	return a.checkParts(path, owner)
}

// checkDays checks the range of the dates that synthetic data may contain, and that each interval between two cuts
// contains at least one date of the range.
func (a *Attribute) checkDays(path, owner string) *fault {
	switch {
	case a.Least == "" || a.Most == "":
		return faultf(path, "%s has draw = \"day\", so it needs \"least\" and \"most\", the first and the last possible date", owner)
	case a.Open() && compareDecimals(a.Least, a.Most) > 0:
		return faultf(path+".most", "\"most\" of %s must not be before its \"least\"", owner)
	case a.Open():
		return nil
	}
	for i, cut := range []Decimal{a.Cuts[0], a.Cuts[len(a.Cuts)-1]} {
		switch c := compareDecimals(cut, []Decimal{a.Least, a.Most}[i]); {
		case i == 0 && c <= 0:
			return faultf(path+".least", "\"least\" of %s must be before its first cut, %s", owner, a.CutText(0))
		case i == 1 && c > 0:
			return faultf(path+".most", "\"most\" of %s must not be before its last cut, %s", owner, a.CutText(len(a.Cuts)-1))
		}
	}
	return nil
}

// checkParts checks the listed values of an attribute that is a part of a date or an age. The values must be
// possible, such as 1 to 12 for months.
func (a *Attribute) checkParts(path, owner string) *fault {
	least, most := int64(1), int64(9999)
	switch a.Part {
	case "month":
		most = 12
	case "weekday":
		most = 7
	case "day":
		most = 31
	case "":
		least = -most
	}
	values := slices.Clone(a.Values)
	for _, g := range a.Groups {
		values = append(values, g.Values...)
	}
	for _, v := range values {
		n, err := strconv.ParseInt(v, 10, 32)
		if err != nil || strconv.FormatInt(n, 10) != v || n < least || n > most {
			what := a.Part
			if what == "" {
				what = "age"
			}
			return faultf(path, "%s lists %s, but its values are numbers from %d to %d: the %s of a date", owner, quote.Word(v), least, most, what)
		}
	}
	return nil
}

// MissingDates returns, in ISO 8601, the dates that mean a missing value of the attribute.
func (a *Attribute) MissingDates() (dates []string) {
	for _, day := range a.missingDays() {
		dates = append(dates, isoDate(day))
	}
	return dates
}
