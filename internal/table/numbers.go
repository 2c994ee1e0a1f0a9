package table

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

// For a category that is an interval, a Drawer samples a number of the interval. Rules with the key at_most may
// require that the numbers of several columns do not decrease. All numbers that such rules compare are integer
// multiples of one power of ten.
//
// Suitable numbers exist for all ordered columns at once if they exist for every two of them. For a proof, take the
// columns in their order. The number of a column is the maximum of two values: the least number of its interval, and
// the greatest number that the columns below it have.

// numbersOf returns the range of the numbers of each category of an attribute, or nil for a category without numbers.
// The limits of a range are integers, in units of the given decimal place. ok is false if the numbers are unknown or
// too large.
func numbersOf(a *Attribute, places int) (spans []*span, ok bool) {
	spans = make([]*span, a.Len())
	if len(a.Cuts) > 0 {
		ranges, ok := a.ranges(a.Cuts)
		for i := range ranges {
			spans[i] = &ranges[i]
		}
		return spans, ok
	}
	numbers, _ := a.Numbers()
	for i, d := range numbers {
		n, ok := scaledDown(d, places)
		if !ok {
			return nil, false
		}
		spans[i] = &span{n, n}
	}
	return spans, true
}

// order adds the rules with the key "at_most" to the constraints. Each such rule lists columns of numbers, and requires
// that the number in each column is at most the number in the next.
func (c *Constraints) order(flat *Schema, names domain) *fault {
	after := make([][]bool, len(c.sizes)) // after[i][j]: the number of column j is at least that of column i
	for j := range after {
		after[j] = make([]bool, len(c.sizes))
	}
	for i, r := range flat.Rules {
		if f := c.comparable(flat, names, at("rule", i), r.AtMost); f != nil {
			return f
		}
		for k := 1; k < len(r.AtMost); k++ {
			if a, b := r.AtMost[k-1], r.AtMost[k]; flat.Attributes[names.column[a]].IsDate() != flat.Attributes[names.column[b]].IsDate() {
				return faultf(at(at("rule", i)+".at_most", k), "\"at_most\" of [[rule]] compares %s with %s, but only one of them has dates", quote.Word(a), quote.Word(b))
			}
			after[names.column[r.AtMost[k-1]]][names.column[r.AtMost[k]]] = true
		}
	}
	for k := range after {
		for i := range after {
			for j := range after {
				after[i][j] = after[i][j] || after[i][k] && after[k][j]
			}
		}
	}
	for i := range after {
		if after[i][i] {
			return faultf("rule", "the rules with \"at_most\" form a cycle through %s; if columns are equal, define one as a function of the other", quote.Word(flat.Attributes[i].Name))
		}
		for j := range after {
			if after[i][j] {
				c.orders = append(c.orders, order{i, j})
			}
		}
	}
	return c.keepOrders(flat)
}

// comparable checks the columns that a rule with the key "at_most" lists. It returns a fault if the values of one of
// them are not numbers. The parameter path is the position of the rule in the schema.
func (c *Constraints) comparable(flat *Schema, names domain, path string, ordered []string) *fault {
	for i, name := range ordered {
		a := &flat.Attributes[names.column[name]]
		path := at(path+".at_most", i)
		_, numbers := a.Numbers()
		switch {
		case len(a.Cuts) > 0 && !a.ranged():
			return faultf(path, `"at_most" of [[rule]] needs numbers, but attribute %s does not have draw = "integer" or draw = "uniform" with "least" and "most"`, quote.Word(name))
		case len(a.Cuts) == 0 && !numbers:
			return faultf(path, "\"at_most\" of [[rule]] needs numbers, but attribute %s has other values", quote.Word(name))
		}
	}
	return nil
}

// keepOrders forbids each combination of categories that cannot satisfy the rules with the key "at_most", whatever
// numbers of these categories are chosen.
func (c *Constraints) keepOrders(flat *Schema) *fault {
	if len(c.orders) == 0 {
		return nil
	}
	places, f := c.commonPlaces(flat)
	if f != nil {
		return f
	}
	for _, o := range c.orders {
		low, ok1 := numbersOf(&flat.Attributes[o.low], places)
		high, ok2 := numbersOf(&flat.Attributes[o.high], places)
		if !ok1 || !ok2 {
			return faultf("rule", "the numbers of %s are too large for \"at_most\" of [[rule]]", quote.Word(flat.Attributes[o.low].Name))
		}
		if f := c.exclude("rule", []int{o.low, o.high}, func(record []uint16) bool {
			a, b := low[record[o.low]], high[record[o.high]]
			return a != nil && b != nil && a.least > b.most
		}); f != nil {
			return f
		}
	}
	return nil
}

// commonPlaces returns a number of decimal places with which the numbers of all columns in rules with the key "at_most"
// can be represented. It returns a fault if columns with cuts have different numbers of decimal places, or if a listed
// value has more places than these columns.
func (c *Constraints) commonPlaces(flat *Schema) (int, *fault) {
	places, named := -1, ""
	most := 0
	for _, o := range c.orders {
		for _, j := range []int{o.low, o.high} {
			a := &flat.Attributes[j]
			numbers, _ := a.Numbers()
			for _, d := range numbers {
				most = max(most, d.places())
			}
			if len(a.Cuts) == 0 {
				continue
			}
			if places >= 0 && places != a.places() {
				return 0, faultf("rule", "%s and %s are in rules with \"at_most\", but have different numbers of decimal places; give them the same \"places\"", quote.Word(named), quote.Word(a.Name))
			}
			places, named = a.places(), a.Name
		}
	}
	if places < 0 {
		return most, nil
	}
	if most > places {
		return 0, faultf("rule", "a value in a rule with \"at_most\" has more digits after the point than the numbers of %s; give %s more places", quote.Word(named), quote.Word(named))
	}
	return places, nil
}

// A Drawer converts records of a flat schema (see Flat) to the fields of synthetic rows. If a category has several
// values, the Drawer samples one of them. Only one goroutine may use a Drawer at a time.
type Drawer struct {
	flat    *Schema
	random  *rand.Rand
	columns []drawn
	ordered []int   // the columns in rules with "at_most"; each column follows the columns whose numbers are at most its number
	below   [][]int // by column, the columns whose numbers are at most its number
	above   [][]int // by column, the columns whose numbers are at least its number
	numbers []int64 // by column, the sampled number of the current record
	known   []bool  // by column, whether numbers has its number
	places  int     // the decimal places of the numbers of ordered columns
}

// A drawn holds the possible values of one column of synthetic rows, by category: texts, or ranges from which numbers
// are sampled.
type drawn struct {
	texts  [][]string // by category, the texts from which one is sampled
	spans  []*span    // by category, the range from which a number is sampled
	within []*Density // by category, the distribution of the numbers; nil for the uniform one
	places int
	mark   byte   // the decimal mark of numbers
	format string // the format of dates; "" for numbers
}

// text returns the text of a sampled number, or the date if the column contains dates.
func (d *drawn) text(n int64) string {
	if d.format != "" {
		return string(appendDay(nil, n, d.format))
	}
	return string(appendScaled(nil, n, d.places, d.mark))
}

// mark returns the decimal mark of the attribute's numbers: that of the Spelling or, if it is not set, that of the
// File.
func (s *Spelling) mark(file File) byte {
	if s.Decimal != 0 {
		return s.Decimal
	}
	return file.Decimal
}

// NewDrawer returns a Drawer for a flat schema (see Flat). Its samples are a function of the seed. The parameter within
// holds, for each column and each category, the distribution of the category's numbers. If an element or a whole list
// is nil, the numbers are uniform in the category's interval. A distribution may cover only a part of the interval;
// then only numbers of this part are sampled. NewDrawer returns an error if the schema does not define all values of
// synthetic rows (see Written), or if a rule of the schema is invalid.
func NewDrawer(flat *Schema, seed uint64, within [][]*Density) (*Drawer, error) {
	if err := flat.Written(); err != nil {
		return nil, err
	}
	c, f := constrain(flat)
	if f != nil {
		return nil, f
	}
	n := len(flat.Attributes)
	d := &Drawer{
		flat: flat, random: rand.New(rand.NewPCG(seed, 0)), columns: make([]drawn, n),
		below: make([][]int, n), above: make([][]int, n), numbers: make([]int64, n), known: make([]bool, n),
	}
	d.places, _ = c.commonPlaces(flat)
	for j := range flat.Attributes {
		a := &flat.Attributes[j]
		col := &d.columns[j]
		col.texts, col.places, col.mark, col.format = a.texts(a.mark(flat.File)), a.places(), a.mark(flat.File), a.Format
		if a.ranged() {
			col.spans, _ = numbersOf(a, col.places)
			if within != nil {
				col.within = within[j]
			}
			for i, of := range col.within {
				if of != nil {
					col.spans[i] = &span{of.least, of.ends[len(of.ends)-1]}
				}
			}
		}
	}
	for _, o := range c.orders {
		d.below[o.high] = append(d.below[o.high], o.low)
		d.above[o.low] = append(d.above[o.low], o.high)
	}
	for j := range n {
		if len(d.below[j])+len(d.above[j]) > 0 {
			d.ordered = append(d.ordered, j)
			if d.columns[j].spans == nil {
				d.columns[j].spans, _ = numbersOf(&flat.Attributes[j], d.places)
			}
		}
	}
	slices.SortStableFunc(d.ordered, func(i, j int) int { return len(d.below[i]) - len(d.below[j]) })
	return d, nil
}

// Keep excludes some of a category's texts from sampling. The texts have the order of Attribute.Written, and each is
// kept if the element of keep with its index is true. At least one text must be kept.
func (d *Drawer) Keep(column, category int, keep []bool) {
	var kept []string
	for i, text := range d.columns[column].texts[category] {
		if keep[i] {
			kept = append(kept, text)
		}
	}
	d.columns[column].texts[category] = kept
}

// Written returns the values that synthetic rows may contain for each category. If numbers are sampled from intervals,
// ranges holds the first and the last number of each interval, as integers in units of the given decimal place
// (10^-places). Otherwise texts holds the values of each category; numbers in these texts have a decimal point.
func (a *Attribute) Written() (texts [][]string, ranges [][2]int64, places int) {
	if !a.ranged() {
		return a.texts('.'), nil, 0
	}
	spans, _ := a.ranges(a.Cuts)
	for _, s := range spans {
		ranges = append(ranges, [2]int64{s.least, s.most})
	}
	return nil, ranges, a.places()
}

// texts returns the values that synthetic rows may contain for each category, with the given decimal mark. The list is
// empty for an interval from which numbers are sampled.
func (a *Attribute) texts(mark byte) [][]string {
	var all [][]string
	for _, v := range a.Values {
		all = append(all, []string{v})
	}
	for _, g := range a.Groups {
		if a.Draw == drawFirst {
			g.Values = g.Values[:1]
		}
		all = append(all, g.Values)
	}
	if len(a.Cuts) > 0 {
		for _, part := range split(a.Listed, a.Cuts) {
			var texts []string
			for _, d := range part {
				texts = append(texts, d.marked(mark))
			}
			all = append(all, texts)
		}
	}
	if a.Other != "" {
		all = append(all, []string{a.written(mark)})
	}
	return all
}

// Draw appends one synthetic row to the slice fields, with a field for each attribute of the record. The record must
// satisfy the schema's rules. If quantiles is not nil, it holds a lower and an upper quantile for each attribute, and a
// number whose category has a distribution (see NewDrawer) is sampled between these quantiles of the distribution. The
// quantiles of attributes in rules with the key "at_most" are ignored.
func (d *Drawer) Draw(fields []string, record []uint16, quantiles [][2]float64) []string {
	d.order(record)
	for j := range d.columns {
		col := &d.columns[j]
		texts := col.texts[record[j]]
		switch {
		case len(texts) == 1:
			fields = append(fields, texts[0])
		case len(texts) > 1:
			fields = append(fields, texts[d.random.IntN(len(texts))])
		case d.known[j]:
			fields = append(fields, col.text(d.numbers[j]))
		case quantiles != nil && int(record[j]) < len(col.within) && col.within[record[j]] != nil:
			q := quantiles[j]
			u := q[0] + float64(d.random.Float64()*(q[1]-q[0]))
			fields = append(fields, col.text(col.within[record[j]].quantile(u)))
		default:
			s := col.spans[record[j]]
			fields = append(fields, col.text(d.within(j, record[j], *s)))
		}
	}
	return fields
}

// within samples a number of a category from the range s, which must lie in the category's interval.
func (d *Drawer) within(column int, category uint16, s span) int64 {
	if of := d.columns[column].within; int(category) < len(of) && of[category] != nil {
		return of[category].sample(d.random, s.least, s.most)
	}
	return s.least + d.random.Int64N(s.most-s.least+1)
}

// sweeps is the number of sweeps of the Gibbs sampler that samples numbers under the rules with the key "at_most". More
// sweeps bring the distribution closer to that of independent numbers, conditioned on the required order.
const sweeps = 16

// order samples the numbers of a record in all columns that appear in rules with the key "at_most", by a Gibbs sampler.
func (d *Drawer) order(record []uint16) {
	for _, j := range d.ordered {
		s := d.columns[j].spans[record[j]]
		if d.known[j] = s != nil; s == nil {
			continue
		}
		d.numbers[j] = max(s.least, d.bound(d.below[j], math.MinInt64, func(a, b int64) int64 { return max(a, b) }))
	}
	for range sweeps {
		for _, j := range d.ordered {
			if s := d.columns[j].spans[record[j]]; s != nil && s.least < s.most {
				least := d.bound(d.below[j], s.least, func(a, b int64) int64 { return max(a, b) })
				most := d.bound(d.above[j], s.most, func(a, b int64) int64 { return min(a, b) })
				d.numbers[j] = d.within(j, record[j], span{least, most})
			}
		}
	}
}

// bound returns the maximum (or minimum) of a starting number (from) and the numbers already sampled in the given
// columns. The function fold returns the maximum (or minimum) of two numbers.
func (d *Drawer) bound(columns []int, from int64, fold func(a, b int64) int64) int64 {
	for _, j := range columns {
		if d.known[j] {
			from = fold(from, d.numbers[j])
		}
	}
	return from
}
