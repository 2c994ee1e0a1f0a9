package rule

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/table"
)

// A Test is a condition in the query language. It compares an attribute with values. Some values of a category may
// satisfy a Test while others do not, which is impossible for a Condition. Tests are joined by the word "and":
//
//	sex = Female and hours-per-week ≥ 41 and school in {some, all}
//
// The operators are = ≠ < ≤ ≥ >, which may also be written == != <> <= >=, and "in" and "not in" with a list in
// braces. Names and values that contain an operator, a comma, a brace or the word "and" must be in quotation marks.
// A quotation mark inside is doubled.
type Test struct {
	Attribute int
	Operator  string   // "=", "≠", "<", "≤", "≥" or ">" with one value; "in" or "not in" with any number of values
	Values    []string // values, or names of categories; numbers as plain decimals
}

// ParseTests parses a text of tests on the given attributes, joined by "and" (see Test). An error is one sentence.
func ParseTests(attributes []table.Attribute, text string) (all []Test, err error) {
	p := &parser{attributes, text}
	for {
		t, err := p.test()
		if err != nil {
			return nil, err
		}
		all = append(all, t)
		if more, err := p.and(); err != nil {
			return nil, err
		} else if !more {
			return all, nil
		}
	}
}

// Text returns the text of the tests in a canonical form, which ParseTests can parse.
func Text(attributes []table.Attribute, tests ...Test) string {
	var said []string
	for _, t := range tests {
		var values []string
		for _, v := range t.Values {
			values = append(values, word(v))
		}
		text := strings.Join(values, ", ")
		if strings.HasSuffix(t.Operator, "in") {
			text = "{" + text + "}"
		}
		said = append(said, word(attributes[t.Attribute].Name)+" "+t.Operator+" "+text)
	}
	return strings.Join(said, " and ")
}

// Test converts the condition to a Test, which compares the attribute with the names of the accepted categories.
func (c Condition) Test(attributes []table.Attribute) Test {
	t := Test{Attribute: c.Attribute, Operator: "in"}
	if len(c.Accepts) == 1 {
		t.Operator = "="
	}
	names := attributes[c.Attribute].Categories()
	for _, code := range c.Accepts {
		t.Values = append(t.Values, names[code])
	}
	return t
}

// word returns the text of a name or a value in the query language, in quotation marks if necessary.
func word(text string) string {
	if bare(text) && !strings.ContainsAny(text, "\"{},=<>!≠≤≥") {
		return text
	}
	return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
}

// bare reports whether a text can be written without quotation marks: it is not empty, has no surrounding white
// space, and contains none of the words and, in and not.
func bare(text string) bool {
	return text != "" && strings.TrimSpace(text) == text &&
		!slices.ContainsFunc(strings.Fields(text), func(w string) bool { return strings.EqualFold(w, "and") || w == "in" || w == "not" })
}

// A parser parses a text of tests. The field rest is the text after the current position.
type parser struct {
	attributes []table.Attribute
	rest       string
}

// operators lists the spellings of the operators. No spelling is a prefix of a later one, so the first spelling
// that matches is the right one.
var operators = []struct{ spelled, is string }{
	{"≠", "≠"}, {"!=", "≠"}, {"<>", "≠"}, {"≤", "≤"}, {"<=", "≤"}, {"≥", "≥"}, {">=", "≥"}, {"==", "="}, {"=", "="}, {"<", "<"}, {">", ">"},
}

func (p *parser) space() { p.rest = strings.TrimLeftFunc(p.rest, unicode.IsSpace) }

// keyword reports whether the given keyword comes next, in upper or lower case. If so, the parser moves past it.
// White space, an opening brace, a quotation mark or the end of the text must follow the keyword.
func (p *parser) keyword(w string) bool {
	if len(p.rest) < len(w) || !strings.EqualFold(p.rest[:len(w)], w) {
		return false
	}
	if r, _ := utf8.DecodeRuneInString(p.rest[len(w):]); len(p.rest) > len(w) && r != '{' && r != '"' && !unicode.IsSpace(r) {
		return false
	}
	p.rest = p.rest[len(w):]
	p.space()
	return true
}

func (p *parser) operator() (string, bool) {
	for _, o := range operators {
		if rest, found := strings.CutPrefix(p.rest, o.spelled); found {
			p.rest = rest
			p.space()
			return o.is, true
		}
	}
	before := p.rest
	not := p.keyword("not")
	if p.keyword("in") {
		if not {
			return "not in", true
		}
		return "in", true
	}
	p.rest = before
	return "", false
}

// test parses a single test, such as age ≥ 30.
func (p *parser) test() (t Test, err error) {
	p.space()
	if p.rest == "" {
		return t, errors.New(`a condition is missing: the question is empty or ends with "and"; write for example: sex = Female and age ≥ 41`)
	}
	if t.Attribute, err = p.attribute(); err != nil {
		return t, err
	}
	name := quote.Word(p.attributes[t.Attribute].Name)
	var ok bool
	if t.Operator, ok = p.operator(); !ok {
		return t, fmt.Errorf("after %s an operator is missing; it must be one of = ≠ < ≤ ≥ >, in, not in", name)
	}
	if strings.HasSuffix(t.Operator, "in") {
		t.Values, err = p.list()
		return t, err
	}
	value, err := p.value("")
	if err == nil && value == "" {
		err = fmt.Errorf(`after %s %s a value is missing; write "" for an empty value`, name, t.Operator)
	}
	if strings.HasPrefix(value, `"`) {
		value = unquoted(value)
	}
	t.Values = []string{value}
	return t, err
}

// attribute parses the name of an attribute, which may be in quotation marks, and returns the index of the
// attribute. Without quotation marks, if several names match, the longest name that is followed by an operator is
// chosen.
func (p *parser) attribute() (int, error) {
	if strings.HasPrefix(p.rest, `"`) {
		text, err := p.quoted()
		if err != nil {
			return 0, err
		}
		p.space()
		name := unquoted(text)
		if j := slices.IndexFunc(p.attributes, func(a table.Attribute) bool { return a.Name == name }); j >= 0 {
			return j, nil
		}
		return 0, p.unknownAttribute(name)
	}
	best, after := -1, ""
	for j := range p.attributes {
		name := p.attributes[j].Name
		if !bare(name) || best >= 0 && len(name) <= len(p.attributes[best].Name) {
			continue
		}
		rest, found := strings.CutPrefix(p.rest, name)
		if !found {
			continue
		}
		ahead := &parser{rest: rest}
		ahead.space()
		end := ahead.rest
		if _, sign := ahead.operator(); sign {
			best, after = j, end
		}
	}
	if best < 0 {
		name, _, _ := strings.Cut(p.rest, " ")
		return 0, p.unknownAttribute(name)
	}
	p.rest = after
	return best, nil
}

func (p *parser) unknownAttribute(name string) error {
	var names []string
	for i := range p.attributes {
		names = append(names, p.attributes[i].Name)
	}
	return fmt.Errorf("at %s the question must have an attribute of the schema and an operator, for example: sex = Female and age ≥ 41; the attributes are %s", quote.Word(name), listed(names))
}

// mostListed is the maximum number of names that an error lists.
const mostListed = 12

// listed joins names for an error message. If there are more than mostListed, it states how many are left out.
func listed(names []string) string {
	var all []string
	for _, name := range names[:min(len(names), mostListed)] {
		all = append(all, quote.Word(name))
	}
	if more := len(names) - mostListed; more > 0 {
		all = append(all, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(all, ", ")
}

// quoted parses a text in quotation marks, and returns it together with the quotation marks.
func (p *parser) quoted() (string, error) {
	for i := 1; i < len(p.rest); i++ {
		if p.rest[i] != '"' {
			continue
		}
		if i+1 < len(p.rest) && p.rest[i+1] == '"' {
			i++
			continue
		}
		text := p.rest[:i+1]
		p.rest = p.rest[i+1:]
		return text, nil
	}
	return "", errors.New("a quotation mark in the question is not closed; add the closing one")
}

func unquoted(text string) string {
	return strings.ReplaceAll(text[1:len(text)-1], `""`, `"`)
}

// value parses a value. A value without quotation marks ends at the keyword "and", at one of the characters in
// ends, or at the end of the text.
func (p *parser) value(ends string) (string, error) {
	if strings.HasPrefix(p.rest, `"`) {
		return p.quoted()
	}
	end := len(p.rest)
	for i, r := range p.rest {
		ahead := &parser{rest: p.rest[i:]}
		if strings.ContainsRune(ends, r) || i > 0 && unicode.IsSpace(rune(p.rest[i-1])) && ahead.keyword("and") {
			end = i
			break
		}
	}
	text := strings.TrimSpace(p.rest[:end])
	p.rest = p.rest[end:]
	return text, nil
}

// list parses a list of values in braces, as in {some, all}.
func (p *parser) list() (values []string, err error) {
	rest, found := strings.CutPrefix(p.rest, "{")
	if !found {
		return nil, errors.New(`after "in", write the values in braces, for example: school in {some, all}`)
	}
	p.rest = rest
	for {
		p.space()
		v, err := p.value(",}")
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(v, `"`) {
			v = unquoted(v)
		} else if v == "" {
			return nil, errors.New(`a value in braces is missing; write "" for an empty value`)
		}
		values = append(values, v)
		p.space()
		if rest, found := strings.CutPrefix(p.rest, ","); found {
			p.rest = rest
			continue
		}
		if rest, found := strings.CutPrefix(p.rest, "}"); found {
			p.rest = rest
			return values, nil
		}
		return nil, errors.New("a list in braces is not closed, or its values are not separated by commas; write for example {some, all}")
	}
}

// and parses the keyword "and" between two tests. It returns false at the end of the text, and an error for any
// other text.
func (p *parser) and() (bool, error) {
	p.space()
	if p.rest == "" {
		return false, nil
	}
	if !p.keyword("and") {
		return false, errors.New("the conditions of a question must be joined by the word and")
	}
	return true, nil
}
