package table

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

// A fault describes an error in a schema. The field path is the position of the error in the document, such as
// "attribute.2.cuts.1" for a cut of an attribute. If line is 0, the line number is looked up from the path.
type fault struct {
	path string
	text string
	line int
}

func (f *fault) Error() string { return f.text }

func faultf(path, format string, args ...any) *fault {
	return &fault{path: path, text: fmt.Sprintf(format, args...)}
}

// at returns the path (see fault) of the element with the index i of a list, given the path of the list.
func at(path string, i int) string { return path + "." + strconv.Itoa(i) }

// check returns a description of the first error in the schema, or nil. If the parameter open is false, columns whose
// categories are not yet defined (open columns) are an error.
func (s *Schema) check(open bool) *fault {
	if f := s.File.check(); f != nil {
		return f
	}
	if s.Label != nil {
		if f := s.Label.check(open); f != nil {
			return f
		}
		numbers := s.Label.AtLeast != "" || len(s.Label.Cuts) > 0 || s.Label.Open() && s.Label.Kind == NumberKind
		if f := s.Label.Spelling.check("label", "[label]", numbers, s.File.Decimal); f != nil {
			return f
		}
		if len(s.Label.Missing) > 0 && !numbers {
			return faultf("label.missing", "\"missing\" of [label] is only for numeric labels; remove it, since unlisted values of other labels are unknown anyway")
		}
		if numbers && !s.Label.Open() {
			a := s.Label.Attribute()
			if f := a.checkMissing("label", "[label]", s.File); f != nil {
				return f
			}
		}
	}
	if s.Person != nil {
		if f := s.Person.check(open); f != nil {
			return f
		}
		if s.Label != nil && s.Label.Column == s.Person.Column {
			return faultf("person.column", "column %s of [person] is already the label's column; choose another column", quote.Word(s.Person.Column))
		}
	}
	if len(s.Attributes) == 0 {
		return faultf("attribute", "a schema needs at least one [[attribute]]")
	}
	names := make(map[string]bool)
	for j := range s.Attributes {
		a := &s.Attributes[j]
		path := at("attribute", j)
		if f := a.check(path, j, open); f != nil {
			return f
		}
		numbers := len(a.Cuts) > 0 || a.Open() && a.Kind == NumberKind
		if f := a.Spelling.check(path, "attribute "+quote.Word(a.Name), numbers, s.File.Decimal); f != nil {
			return f
		}
		if f := a.checkMissing(path, "attribute "+quote.Word(a.Name), s.File); f != nil {
			return f
		}
		if names[a.Name] {
			return faultf(path, "two attributes are named %s; give one of them another name", quote.Word(a.Name))
		}
		names[a.Name] = true
		if s.Label != nil && s.Label.Column == a.Column {
			return faultf(path+".column", "column %s is already the label's column and cannot be an attribute too", quote.Word(a.Column))
		}
		if s.Person != nil && s.Person.Column == a.Column {
			return faultf(path+".column", "column %s is already the column of [person] and cannot be an attribute too", quote.Word(a.Column))
		}
	}
	if f := s.checkColumns(); f != nil {
		return f
	}
	for i := range s.Profiles {
		if f := s.Profiles[i].check(at("profile", i)); f != nil {
			return f
		}
	}
	return s.checkRules()
}

// checkColumns checks that the schema's list of the columns in the file, if there is one, contains all columns that
// the attributes, the label and the person use.
func (s *Schema) checkColumns() *fault {
	if len(s.File.Columns) == 0 {
		return nil
	}
	declared := make(map[string]bool)
	for _, c := range s.File.Columns {
		declared[c] = true
	}
	if s.Label != nil && !declared[s.Label.Column] {
		return faultf("label.column", "the label's column %s is not among the columns of [file]", quote.Word(s.Label.Column))
	}
	if s.Person != nil && !declared[s.Person.Column] {
		return faultf("person.column", "the column %s of [person] is not among the columns of [file]", quote.Word(s.Person.Column))
	}
	for j, a := range s.Attributes {
		if !declared[a.Column] {
			return faultf(at("attribute", j)+".column", "column %s of attribute %s is not among the columns of [file]", quote.Word(a.Column), quote.Word(a.Name))
		}
	}
	return nil
}

// Check returns an error if a field of the File is invalid or contradicts another field.
func (f File) Check() error {
	s := Schema{File: f}
	s.fill()
	if f := s.File.check(); f != nil {
		return f
	}
	return nil
}

func (f *File) check() *fault {
	if d := f.Delimiter; d < ' ' && d != '\t' || d >= 0x7f || d == '"' {
		return faultf("file.delimiter", "the delimiter must be one ASCII character, but not a quote, a line break or another control character except a tab")
	}
	if f.Decimal != '.' && f.Decimal != ',' {
		return faultf("file.decimal", `the decimal mark must be "." or ","`)
	}
	if f.Encoding != "" {
		if _, err := htmlindex.Get(f.Encoding); err != nil {
			return faultf("file.encoding", "encoding %s is unknown; usual ones are utf-8, windows-1252, iso-8859-15 and utf-16le", quote.Word(f.Encoding))
		}
	}
	if f.Trim && (f.Delimiter == ' ' || f.Delimiter == '\t') {
		return faultf("file.trim", "\"trim\" cannot be true if the delimiter is a space or a tab")
	}
	if c := f.Comment; c != "" {
		if c[0] == '"' || c[0] == f.Delimiter || strings.ContainsAny(c, "\r\n") {
			return faultf("file.comment", "\"comment\" must not start with a quote or the delimiter, nor contain a line break")
		}
	}
	if f.Headerless && len(f.Columns) == 0 {
		return faultf("file", "[file] has header = false, so its key \"columns\" must list the columns in order")
	}
	seen := make(map[string]bool)
	for i, c := range f.Columns {
		if c == "" {
			return faultf(at("file.columns", i), "a column name is empty in the columns of [file]")
		}
		if seen[c] {
			return faultf(at("file.columns", i), "column %s is listed twice in the columns of [file]", quote.Word(c))
		}
		seen[c] = true
	}
	return nil
}

func (l *Label) check(open bool) *fault {
	if l.Column == "" {
		return faultf("label", "[label] needs the key \"column\"")
	}
	if l.Draw == drawDay {
		return faultf("label.draw", `"draw" of [label] must not be "day", because labels are not dates`)
	}
	stated := len(l.Positive)+len(l.Negative)+len(l.Values)+len(l.Groups) > 0
	numbers := l.AtLeast != "" || len(l.Cuts) > 0
	if f := l.Described.check("label", "[label]", stated, numbers); f != nil {
		return f
	}
	if l.Kind != "" && !stated && !numbers {
		if f := openFault(open, "label.kind", "[label]"+l.Described.shown(), "write positive and negative, at_least, values, groups or cuts"); f != nil {
			return f
		}
		return l.Writing.checkOpen("label", "[label]", l.Kind)
	}
	cuts := l.Cuts
	if _, ok := ParseDecimal(string(l.AtLeast)); ok {
		cuts = []Decimal{l.AtLeast}
	}
	f := l.checkOutcomes()
	if f == nil {
		f = l.Writing.check("label", "[label]", cuts, len(l.Groups) > 0)
	}
	return f
}

func (l *Label) checkOutcomes() *fault {
	if many := l.many(); many != nil {
		return l.checkMany(many)
	}
	if l.AtLeast != "" {
		if _, ok := ParseDecimal(string(l.AtLeast)); !ok {
			return faultf("label.at_least", "\"at_least\" of [label] is not a plain decimal such as 10000 or 0.5")
		}
		if len(l.Positive)+len(l.Negative) > 0 {
			return faultf("label.at_least", "[label] must have either \"at_least\", or \"positive\" and \"negative\"")
		}
		return nil
	}
	seen := make(map[string]string)
	for _, list := range []struct {
		key    string
		values []string
	}{{"positive", l.Positive}, {"negative", l.Negative}} {
		if len(list.values) == 0 {
			return faultf("label."+list.key, "[label] needs at least one value in %q, or \"at_least\" if the label is a number", list.key)
		}
		for i, v := range list.values {
			path := at("label."+list.key, i)
			if f := checkValue(path, "[label]", v); f != nil {
				return f
			}
			switch seen[v] {
			case "":
				seen[v] = list.key
			case list.key:
				return faultf(path, "value %s is listed twice in %q of [label]", quote.Word(v), list.key)
			default:
				return faultf(path, "value %s of [label] is listed both in \"positive\" and in \"negative\"", quote.Word(v))
			}
		}
	}
	return nil
}

// checkMany checks a label whose outcomes are defined by values, groups or cuts, as the categories of an attribute
// are. The parameter many is the label converted to an attribute.
func (l *Label) checkMany(many *Attribute) *fault {
	kinds := 0
	for _, n := range []int{len(l.Positive) + len(l.Negative), len(l.AtLeast), len(l.Values), len(l.Groups), len(l.Cuts)} {
		if n > 0 {
			kinds++
		}
	}
	if kinds > 1 {
		return faultf("label", "[label] must have only one of the following: \"positive\" with \"negative\", \"at_least\", \"values\", \"groups\", \"cuts\"")
	}
	if n := many.Len(); n < 3 || n > MostOutcomes {
		return faultf("label", "[label] has %d classes, but \"values\", \"groups\" and \"cuts\" need 3 to %d; for two classes give \"positive\" and \"negative\", or \"at_least\"", n, MostOutcomes)
	}
	return many.checkDomain("label", "[label]")
}

func checkValue(path, owner, v string) *fault {
	switch {
	case v == "":
		return faultf(path, "%s lists an empty value; missing values belong to the category \"other\" or make the record null", owner)
	case !utf8.ValidString(v) || strings.ContainsRune(v, 0):
		return faultf(path, "%s lists a value that is not UTF-8 text", owner)
	}
	return nil
}

func (a *Attribute) check(path string, j int, open bool) *fault {
	if a.Column == "" {
		return faultf(path, "attribute %d needs the key \"column\"", j+1)
	}
	owner := "attribute " + quote.Word(a.Name)
	kinds := 0
	for _, n := range []int{len(a.Values), len(a.Groups), len(a.Cuts)} {
		if n > 0 {
			kinds++
		}
	}
	if f := a.checkDates(path, owner); f != nil {
		return f
	}
	if a.IsDate() && kinds == 0 {
		remedy := "write cuts that are dates, such as cuts = [2020-01-01, 2022-01-01]"
		switch {
		case !a.whole():
			return faultf(path, "%s has a part of a date or an age, but no categories: write cuts that are numbers, or values or groups", owner)
		case a.Kind == DateKind:
			return openFault(open, path+".kind", owner+a.Described.shown(), remedy+", or delete the attribute")
		case open:
			remedy += `; or write kind = "date", and draw = "day" with "least" and "most", for a private profile`
		}
		return faultf(path, "%s has dates, but no cuts: %s", owner, remedy)
	}
	if f := a.Described.check(path, owner, len(a.Values)+len(a.Groups) > 0, len(a.Cuts) > 0 && !a.IsDate()); f != nil {
		return f
	}
	if kinds == 0 && a.Kind != "" {
		remedy := "write values, groups or cuts, or delete the attribute"
		if a.Kind == DateKind {
			remedy = "write format with cuts, or values or groups, or delete the attribute"
		}
		if f := openFault(open, path+".kind", owner+a.Described.shown(), remedy); f != nil {
			return f
		}
		return a.Writing.checkOpen(path, owner, a.Kind)
	}
	if kinds != 1 {
		return faultf(path, "%s must have exactly one of the keys \"values\", \"groups\" and \"cuts\", and this key must not be empty", owner)
	}
	if n := a.Len(); n > MaxCategories {
		return faultf(path, "%s has %d categories, but at most %d are supported", owner, n, MaxCategories)
	}
	if f := a.checkDomain(path, owner); f != nil {
		return f
	}
	if a.Other != "" && (len(a.Cuts) == 0 || strings.IndexAny(a.Other, "<[≥") == 0) { // as the names of intervals begin
		names := a.Categories()
		for _, name := range names[:len(names)-1] {
			if name == a.Other {
				return faultf(path+".other", "%s already has a category %s; give \"other\" another name", owner, quote.Word(name))
			}
		}
	}
	if a.Ordered != nil && len(a.Cuts) > 0 {
		return faultf(path+".ordered", "\"ordered\" of %s is for values and groups, because intervals are always ordered; leave it out", owner)
	}
	if f := a.Writing.check(path, owner, a.Cuts, len(a.Groups) > 0); f != nil {
		return f
	}
	return nil
}

func (a *Attribute) checkDomain(path, owner string) *fault {
	seen := make(map[string]string)
	take := func(path, group, v string) *fault {
		if f := checkValue(path, owner, v); f != nil {
			return f
		}
		first, doubled := seen[v]
		switch {
		case doubled && first == group:
			return faultf(path, "%s lists value %s twice", owner, quote.Word(v))
		case doubled:
			return faultf(path, "%s lists value %s in two groups, %s and %s", owner, quote.Word(v), quote.Word(first), quote.Word(group))
		}
		seen[v] = group
		return nil
	}
	for i, v := range a.Values {
		if f := take(at(path+".values", i), "", v); f != nil {
			return f
		}
	}
	names := make(map[string]bool)
	for i, g := range a.Groups {
		path := at(path+".groups", i)
		if g.Name == "" {
			return faultf(path, "%s has a group without a name", owner)
		}
		if names[g.Name] {
			return faultf(path, "%s has two groups named %s", owner, quote.Word(g.Name))
		}
		names[g.Name] = true
		if len(g.Values) == 0 {
			return faultf(path, "group %s of %s is empty", quote.Word(g.Name), owner)
		}
		for k, v := range g.Values {
			if f := take(at(path, k), g.Name, v); f != nil {
				return f
			}
		}
	}
	var last Decimal
	for i, cut := range a.Cuts {
		number, ok := ParseDecimal(string(cut))
		if !ok {
			return faultf(at(path+".cuts", i), "%s has the cut %s, which is not a plain decimal such as 26 or 0.5", owner, quote.Word(string(cut)))
		}
		if i > 0 && compareDecimals(last, number) >= 0 {
			return faultf(at(path+".cuts", i), "the cuts of %s must increase, but %.60s follows %.60s", owner, a.CutText(i), a.CutText(i-1))
		}
		last = number
	}
	return nil
}
