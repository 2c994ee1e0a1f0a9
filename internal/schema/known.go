package schema

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/parameter"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// Known holds facts about the columns of a table that the user knows from public sources. Its fields refer to columns
// by name.
type Known struct {
	Name   string // the name of the schema
	Public string // who asserts that these facts and the names of the columns are public; for readers of the schema

	Label    string   // the column to predict
	Outcomes []string // the classes of the label: the positive and the negative one, or three or more; nil leaves them open

	Number, Category []string // columns of these kinds
	Date             []string // columns of dates, with or without their format, such as admitted or born=d.m.y (parseDates)
	Range            []string // ranges of columns of numbers, such as age=0..120 or weight=0.0..400.0 (parseRanges)
	Others           string   // the kind of all columns of unknown kind: number, category or date; empty leaves it unknown
	Person           string   // the column that identifies persons
	MostRows         int      // the maximum number of rows used per person; 0 leaves it open
	Drop             []string // columns that become no attributes
}

// New drafts a schema for a table with the given column names. Columns with an empty name are left out. The parameter
// file describes the format of the table, or is nil if it is unknown.
//
// Columns of numbers and dates receive a category for missing values, because the names do not show whether values are
// missing, and without this category, rows with missing values would be left out. An error about a name states only its
// position in the list.
func New(columns []string, file *table.File, k Known) (*Draft, error) {
	leftOut := func(name string) bool { return name == "" || slices.Contains(k.Drop, name) }
	if err := checkNames(columns, leftOut); err != nil {
		return nil, parameter.Errorf("%w, or omit such columns with {drop}", err)
	}
	d := &Draft{File: file, Source: k.source("names and kinds of the columns")}
	for i, name := range columns {
		if name == "" {
			d.Notes = append(d.Notes, fmt.Sprintf("Left out: column %d, which has no name.", i+1))
			continue
		}
		c := Column{Name: name, Kind: table.UnknownKind}
		if g := guess(name); g != "" {
			c.Notes = []string{g}
		}
		d.Columns = append(d.Columns, c)
	}
	if err := d.Apply(k); err != nil {
		return nil, err
	}
	kept := false
	for i := range d.Columns {
		c := &d.Columns[i]
		if c.Least == "" {
			c.Source = "" // that of the draft
		}
		if c.Kind == table.NumberKind || c.Kind == table.DateKind {
			c.mayBeMissing(nil)
			kept = true
		}
	}
	if kept {
		d.Notes = append(d.Notes, `Missing numbers and dates are the category that the key "other" names. Without this key, rows with a missing value are left out.`)
	}
	return d, nil
}

// source returns a text that states who asserts that some facts are public. The parameter what describes the facts, as
// in "names and kinds of the columns: Jane Doe".
func (k *Known) source(what string) string {
	who := k.Public
	if who == "" {
		who = "the person who drafted this schema"
	}
	return what + ": " + who
}

// Apply adds the facts in k, which the user knows, to the draft. If a parameter is invalid, the error names it: "name",
// "public", "label", "number", "range", "category", "date", "others", "person" or "drop".
func (d *Draft) Apply(k Known) error {
	if k.Name != "" {
		d.Name = k.Name
	}
	for i, value := range []string{k.Name, k.Public} {
		if quote.Invalid([]byte(value)) >= 0 {
			return parameter.Errorf([]string{"{name} is not UTF-8 text", "{public} is not UTF-8 text"}[i])
		}
	}
	ranges, err := parseRanges(k.Range)
	if err != nil {
		return err
	}
	formats, err := d.parseDates(&k)
	if err != nil {
		return err
	}
	if err := d.checkKnown(k, ranges); err != nil {
		return err
	}
	drop := make(map[string]bool)
	for _, name := range k.Drop {
		drop[name] = true
	}
	d.Columns = slices.DeleteFunc(d.Columns, func(c Column) bool {
		if drop[c.Name] {
			d.Notes = append(d.Notes, "Left out: "+quote.Word(c.Name)+", as requested.")
		}
		return drop[c.Name]
	})
	for kind, list := range map[string][]string{table.NumberKind: k.Number, table.CategoryKind: k.Category, table.DateKind: k.Date} {
		for _, name := range list {
			c := &d.Columns[d.find(name)]
			if c.Kind != kind {
				*c = Column{Name: c.Name, Title: c.Title, Kind: kind, Other: c.Other, Spelling: c.Spelling, Source: k.source("kind")}
			}
		}
	}
	for name, format := range formats {
		d.Columns[d.find(name)].Format = format
	}
	for _, r := range ranges {
		c := &d.Columns[d.find(r.column)]
		if c.Kind != table.NumberKind {
			*c = Column{Name: c.Name, Title: c.Title, Kind: table.NumberKind, Other: c.Other, Spelling: c.Spelling}
		}
		c.Least, c.Most, c.Places, c.Source = r.least, r.most, r.places, k.source("range")
	}
	if d.Person != nil && (drop[d.Person.Column] || d.Person.Column == k.Label) {
		d.Person = nil
	}
	if k.Person != "" {
		d.Person = &table.Person{Column: k.Person, Most: k.MostRows, Public: k.source("identifier of persons")}
	}
	if k.Label != "" {
		if err := d.setLabel(k); err != nil {
			return err
		}
	}
	if d.Person != nil {
		d.Columns = slices.DeleteFunc(d.Columns, func(c Column) bool { return c.Name == d.Person.Column })
	}
	d.Columns = slices.DeleteFunc(d.Columns, func(c Column) bool {
		if c.Drop != "" {
			d.Notes = append(d.Notes, "Left out: "+quote.Word(c.Name)+", "+c.Drop+".")
		}
		return c.Drop != ""
	})
	if k.Others != "" {
		for i := range d.Columns {
			if c := &d.Columns[i]; c.Kind == table.UnknownKind && !c.closed() {
				c.Kind, c.Source = k.Others, k.source("kind")
			}
		}
	}
	if len(d.Columns) == 0 {
		return fmt.Errorf("no column is left, but a schema needs at least one attribute%s", d.reasons())
	}
	return nil
}

// reasons returns a list of columns that were left out, with the reasons, for a message.
func (d *Draft) reasons() string {
	var all []string
	for _, note := range d.Notes {
		if why, is := strings.CutPrefix(note, "Left out: "); is && len(all) < 4 {
			all = append(all, strings.TrimSuffix(why, "."))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return "; left out: " + strings.Join(all, "; ")
}

// similar returns the end of an error message, which suggests the column whose name is most similar to an unknown name,
// or "" if there is none. One of the two names must contain the other, apart from capitalization and surrounding
// blanks.
func (d *Draft) similar(name string) string {
	plain := func(name string) string { return strings.ToLower(strings.TrimSpace(name)) }
	wanted, best := plain(name), ""
	for _, c := range d.Columns {
		have := plain(c.Name)
		if have == "" || wanted == "" || !strings.Contains(have, wanted) && !strings.Contains(wanted, have) {
			continue
		}
		if distance := func(name string) int { return max(len(name)-len(wanted), len(wanted)-len(name)) }; best == "" || distance(have) < distance(plain(best)) {
			best = c.Name
		}
	}
	if best == "" {
		return ""
	}
	return ", perhaps " + quote.Word(best)
}

// checkKnown returns an error unless each column that k names exists in the table and is named only once.
func (d *Draft) checkKnown(k Known, ranges []numberRange) error {
	if k.MostRows < 0 || k.MostRows > table.MostOfPerson {
		return parameter.Errorf("{person}: the maximum number of rows per person must be 1..%d, but is %d", table.MostOfPerson, k.MostRows)
	}
	if k.Others != "" && !slices.Contains([]string{table.NumberKind, table.CategoryKind, table.DateKind}, k.Others) {
		return parameter.Errorf("{others} is %s, but must be number, category or date", quote.Word(k.Others))
	}
	one := func(name string) []string {
		if name == "" {
			return nil
		}
		return []string{name}
	}
	columns := make(map[string]bool)
	for _, c := range d.Columns {
		columns[c.Name] = true
	}
	var ranged []string
	for _, r := range ranges {
		ranged = append(ranged, r.column)
	}
	uses := make(map[string]string)
	for _, flag := range []struct {
		name  string
		names []string
	}{{"label", one(k.Label)}, {"person", one(k.Person)}, {"number", k.Number}, {"range", ranged}, {"category", k.Category}, {"date", k.Date}, {"drop", k.Drop}} {
		for _, name := range flag.names {
			if !columns[name] {
				return parameter.Errorf("{"+flag.name+"}: the table has no column %s; write the name as the table does%s", quote.Word(name), d.similar(name))
			}
			switch other := uses[name]; other {
			case "":
				uses[name] = flag.name
			case flag.name:
				return parameter.Errorf("{"+other+"} names column %s twice; name it once", quote.Word(name))
			default:
				return parameter.Errorf("{"+other+"} and {"+flag.name+"} both name column %s; leave it out of one of them", quote.Word(name))
			}
		}
	}
	return nil
}

// A numberRange states the least and the greatest number of a column, and the number of digits after the decimal point.
type numberRange struct {
	column      string
	least, most table.Decimal
	places      int
}

// parseRanges parses ranges of numbers, such as age=0..120. The number of digits after the decimal point is that of the
// limit with more digits: 0..120 is a range of integers, and 0.00..9.5 is one of numbers with two digits after the
// point.
func parseRanges(texts []string) (ranges []numberRange, err error) {
	for _, text := range texts {
		at := strings.LastIndexByte(text, '=')
		from, to, _ := strings.Cut(text[at+1:], "..")
		least, numeric := table.ParseDecimal(from)
		most, alsoNumeric := table.ParseDecimal(to)
		_, fraction, _ := strings.Cut(from, ".")
		_, fractionOfMost, _ := strings.Cut(to, ".")
		places := max(len(fraction), len(fractionOfMost))
		if at < 1 || !numeric || !alsoNumeric || places > table.MostPlaces || !table.HasNumbers(least, most, places) {
			return nil, parameter.Errorf("{range} %s is not a column with its least and greatest possible number; write it as in age=0..120 for integers, or weight=0.0..400.0 for one digit after the point; use a decimal point even if the file has decimal commas", quote.Word(text))
		}
		ranges = append(ranges, numberRange{text[:at], least, most, places})
	}
	return ranges, nil
}

// parseDates parses the elements of k.Date, such as born=d.m.y, which consist of the name of a column and a format. It
// returns the formats by column, and leaves only the names in k.Date. A text that equals the name of a column has no
// format, even if it contains an equals sign.
func (d *Draft) parseDates(k *Known) (formats map[string]string, err error) {
	formats = make(map[string]string)
	k.Date = slices.Clone(k.Date)
	for i, text := range k.Date {
		at := strings.LastIndexByte(text, '=')
		if at < 0 || d.find(text) >= 0 {
			continue
		}
		name, format := text[:at], text[at+1:]
		if !table.IsDateFormat(format) {
			return nil, parameter.Errorf("{date} %s: the format of the dates must be iso, d.m.y, m/d/y or epoch; write it as in admitted=d.m.y", quote.Word(text))
		}
		k.Date[i], formats[name] = name, format
	}
	return formats, nil
}

// setLabel makes the column that k names as the label the label of the draft, and removes it from the columns.
func (d *Draft) setLabel(k Known) error {
	i := d.find(k.Label)
	l := &Label{Column: d.Columns[i]}
	d.Columns = slices.Delete(d.Columns, i, i+1)
	d.Label = l
	l.Other, l.Missing, l.Ordered, l.Dates = "", nil, false, table.Dates{}
	groups := l.Groups
	for _, v := range l.Values {
		groups = append(groups, table.Group{Name: v, Values: []string{v}})
	}
	if len(k.Outcomes) == 0 {
		if len(groups) > 2 && len(groups) <= table.MostOutcomes {
			return nil
		}
		l.Values, l.Groups = nil, nil
		if len(groups) > 0 {
			var names []string
			for _, g := range groups[:min(len(groups), 100)] {
				names = append(names, g.Name+" = "+tomlList(g.Values))
			}
			l.Notes = append(l.Notes, "Known values: "+strings.Join(names, ", ")+".")
		}
		return nil
	}
	if len(k.Outcomes) == 1 || len(k.Outcomes) > table.MostOutcomes {
		return parameter.Errorf("{label} must have a positive and a negative outcome, as %s=yes/no, or 3 to %d outcomes", quote.Name(k.Label), table.MostOutcomes)
	}
	// An outcome is a value of the table, or the name that the metadata gives to values.
	var outcomes []table.Group
	for _, name := range k.Outcomes {
		if name == "" || quote.Invalid([]byte(name)) >= 0 || strings.ContainsRune(name, 0) {
			return parameter.Errorf("each outcome of {label} must be UTF-8 text that is not empty; write %s=yes/no", quote.Name(k.Label))
		}
		if slices.ContainsFunc(outcomes, func(g table.Group) bool { return g.Name == name }) {
			return parameter.Errorf("{label} has the outcome %s twice; name each outcome once", quote.Word(name))
		}
		at := slices.IndexFunc(groups, func(g table.Group) bool { return slices.Contains(g.Values, name) })
		if at < 0 {
			at = slices.IndexFunc(groups, func(g table.Group) bool { return g.Name == name })
			if at >= 0 {
				outcomes = append(outcomes, table.Group{Name: name, Values: groups[at].Values})
				continue
			}
		}
		if at < 0 && len(groups) > 0 {
			return parameter.Errorf("{label}: the metadata lists no value %s for column %s; name a value that it lists", quote.Word(name), quote.Word(k.Label))
		}
		outcomes = append(outcomes, table.Group{Name: name, Values: []string{name}})
	}
	l.Values, l.Groups, l.Notes, l.Kind, l.Source = nil, nil, nil, table.CategoryKind, k.source("outcomes")
	if len(outcomes) == 2 {
		l.Positive, l.Negative = outcomes[0].Values, outcomes[1].Values
		return nil
	}
	l.Groups = outcomes
	return nil
}
