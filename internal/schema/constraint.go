package schema

import (
	"regexp"
	"slices"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/table"
)

// A fact is what a CHECK constraint implies for the non-NULL values of a column: a range or a list of values. An empty
// limit means that the range has no limit on this side.
type fact struct {
	column      string
	least, most table.Decimal
	above       bool     // whether least is excluded
	below       bool     // whether most is excluded
	values      []string // the only values, or nil
	null        bool     // whether the column is NULL
}

// facts returns what an SQL condition implies for single columns. ok is false if the condition may imply more than
// these facts.
func facts(condition string) (all []fact, ok bool) {
	p := &conditionParser{tokens: tokens(condition)}
	if len(p.tokens) > mostTokens || slices.ContainsFunc(p.tokens, func(t token) bool { return t.kind == wordToken && strings.EqualFold(t.text, "CASE") }) {
		return nil, false
	}
	all, ok = p.or()
	if p.at < len(p.tokens) {
		return nil, false
	}
	return all, ok
}

// mostTokens is the maximum number of tokens of a condition, and mostDepth is the maximum nesting of its parentheses.
const (
	mostTokens = 20_000
	mostDepth  = 40
)

type tokenKind int

const (
	wordToken tokenKind = iota // a keyword or a name
	nameToken                  // a quoted name
	textToken
	numberToken
	signToken
)

type token struct {
	kind tokenKind
	text string
}

var tokenPattern = regexp.MustCompile(`(?s)^(?:\s+|(?:_utf8mb[34]|_utf8|_latin1|[nNeE])?('(?:[^']|'')*')|"((?:[^"]|"")*)"|` + "`((?:[^`]|``)*)`" + `|\[([A-Za-z_][^\]]*)\]|([0-9]+(?:\.[0-9]*)?|\.[0-9]+)|([\pL_][\pL\pN_$]*)|(::|<=|>=|<>|!=|.))`)

// tokens divides an SQL condition into tokens. A character that belongs to no other kind of token becomes a token of
// its own.
func tokens(condition string) (all []token) {
	condition = strings.ReplaceAll(condition, `\'`, "'") // as MySQL's catalog writes texts
	for condition != "" && len(all) <= mostTokens {
		m := tokenPattern.FindStringSubmatch(condition)
		if m == nil {
			return append(all, token{signToken, condition})
		}
		switch condition = condition[len(m[0]):]; {
		case m[1] != "":
			all = append(all, token{textToken, strings.ReplaceAll(m[1][1:len(m[1])-1], "''", "'")})
		case m[2] != "":
			all = append(all, token{nameToken, strings.ReplaceAll(m[2], `""`, `"`)})
		case m[3] != "":
			all = append(all, token{nameToken, strings.ReplaceAll(m[3], "``", "`")})
		case m[4] != "":
			all = append(all, token{nameToken, m[4]})
		case m[5] != "":
			all = append(all, token{numberToken, m[5]})
		case m[6] != "":
			all = append(all, token{wordToken, m[6]})
		case m[7] != "":
			all = append(all, token{signToken, m[7]})
		}
	}
	return all
}

// A conditionParser parses SQL conditions that are joined by AND. It understands these conditions on a column, each
// optionally followed by OR … IS NULL:
//   - a comparison with a number or a text,
//   - BETWEEN, IN and = ANY (ARRAY[…]),
//   - several equalities that are joined by OR, which it reads as IN.
type conditionParser struct {
	tokens []token
	at     int
	depth  int
}

// take reports whether the given words come next in the condition. If so, the parser moves past them.
func (p *conditionParser) take(words ...string) bool {
	if p.at+len(words) > len(p.tokens) {
		return false
	}
	for i, w := range words {
		t := p.tokens[p.at+i]
		if t.kind != wordToken && t.kind != signToken || !strings.EqualFold(t.text, w) {
			return false
		}
	}
	p.at += len(words)
	return true
}

func (p *conditionParser) or() (all []fact, ok bool) {
	all, ok = p.and()
	for p.take("OR") {
		more, fine := p.and()
		switch {
		case !ok || !fine || len(all) == 0 || len(more) == 0:
			all, ok = nil, false
		case isNull(more, all[0].column) && about(all, all[0].column): // NULL satisfies a CHECK anyway
		case isNull(all, more[0].column) && about(more, more[0].column):
			all = more
		case len(all) == 1 && len(more) == 1 && all[0].column == more[0].column && all[0].values != nil && more[0].values != nil:
			all[0].values = append(all[0].values, more[0].values...)
		default:
			all, ok = nil, false
		}
	}
	return all, ok
}

// isNull reports whether the list contains only the fact that the given column is NULL.
func isNull(all []fact, column string) bool {
	return len(all) == 1 && all[0].null && all[0].column == column
}

// about reports whether all facts are about the named column.
func about(all []fact, column string) bool {
	return !slices.ContainsFunc(all, func(f fact) bool { return f.column != column })
}

func (p *conditionParser) and() (all []fact, ok bool) {
	all, ok = p.condition()
	for p.take("AND") {
		more, fine := p.condition()
		all, ok = append(all, more...), ok && fine
	}
	return all, ok
}

// condition parses a comparison, or a condition in parentheses, and returns the facts that it implies. It skips text
// that it does not understand, up to the next AND, OR or closing parenthesis.
func (p *conditionParser) condition() (all []fact, ok bool) {
	start := p.at
	if p.depth++; p.depth > mostDepth {
		p.at = len(p.tokens)
		return nil, false
	}
	defer func() { p.depth-- }()
	if f, ok := p.comparison(); ok && p.ends() {
		return f, true
	}
	p.at = start
	if p.take("(") {
		if all, ok = p.or(); p.take(")") && p.ends() {
			return all, ok
		}
	}
	p.at = start
	for level := 0; p.at < len(p.tokens); p.at++ {
		switch {
		case p.is("("):
			level++
		case p.is(")") && level == 0, level == 0 && (p.is("AND") || p.is("OR")):
			return nil, false
		case p.is(")"):
			level--
		}
	}
	return nil, false
}

// is reports whether the given word comes next in the condition, without moving past it.
func (p *conditionParser) is(word string) bool {
	found := p.take(word)
	if found {
		p.at--
	}
	return found
}

// ends reports whether the current comparison ends at this position: the next token is AND, OR or a closing
// parenthesis, or there is none.
func (p *conditionParser) ends() bool {
	return p.at == len(p.tokens) || p.is(")") || p.is("AND") || p.is("OR")
}

// An operand of a comparison is either the name of a column, or a literal: a number or a text.
type operand struct {
	column string
	value  string
	number bool
}

// operand parses an operand of a comparison, which may be in parentheses and may be cast to another type.
func (p *conditionParser) operand() (o operand, ok bool) {
	if p.depth++; p.depth > mostDepth {
		return o, false
	}
	defer func() { p.depth-- }()
	if p.at >= len(p.tokens) {
		return o, false
	}
	switch t := p.tokens[p.at]; {
	case p.take("("):
		if o, ok = p.operand(); !ok || !p.take(")") {
			return o, false
		}
	case p.take("CAST", "("):
		if o, ok = p.operand(); !ok || !p.take("AS") {
			return o, false
		}
		p.castType()
		if !p.take(")") {
			return o, false
		}
	case p.take("-"):
		if o, ok = p.operand(); !ok || !o.number || strings.HasPrefix(o.value, "-") {
			return o, false
		}
		o.value = "-" + o.value
	case t.kind == textToken:
		p.at++
		o.value = t.text
	case t.kind == numberToken:
		p.at++
		d, _ := table.ParseDecimal(t.text)
		o.value, o.number = string(d), true
	case t.kind == nameToken || t.kind == wordToken && !slices.Contains(notNames, strings.ToUpper(t.text)):
		p.at++
		if p.is("(") || p.is(".") {
			return o, false // a function, or a column of another table
		}
		o.column = t.text
	default:
		return o, false
	}
	for p.take("::") {
		p.castType()
		if d, isNumber := table.ParseDecimal(o.value); isNumber && o.column == "" && numeric.MatchString(p.before()) {
			o.value, o.number = string(d), true
		}
	}
	return o, true
}

var (
	notNames = []string{"AND", "OR", "NOT", "IN", "IS", "NULL", "BETWEEN", "LIKE", "ARRAY", "ANY", "CASE", "CURRENT_DATE", "CURRENT_TIMESTAMP", "TRUE", "FALSE", "WHEN", "THEN", "ELSE", "END"}
	numeric  = regexp.MustCompile(`(?i)^(numeric|decimal|integer|int|bigint|smallint|precision|real|double|float)$`)
)

// before returns the last word before the current position of the parser, or "" if there is none.
func (p *conditionParser) before() string {
	for i := p.at - 1; i >= 0; i-- {
		if p.tokens[i].kind == wordToken {
			return p.tokens[i].text
		}
	}
	return ""
}

// castType moves past the name of a type in a cast, where it follows :: or AS.
func (p *conditionParser) castType() {
	for p.at < len(p.tokens) && (p.tokens[p.at].kind == nameToken || p.tokens[p.at].kind == wordToken && !slices.Contains(notNames, strings.ToUpper(p.tokens[p.at].text))) {
		p.at++
		p.take(".")
	}
	if p.take("(") {
		for p.at < len(p.tokens) && !p.take(")") {
			p.at++
		}
	}
	p.take("[", "]")
}

// comparison parses a comparison of a column with literals, and returns the facts that it implies.
func (p *conditionParser) comparison() (all []fact, ok bool) {
	left, ok := p.operand()
	if !ok {
		return nil, false
	}
	switch {
	case left.column != "" && p.take("IS", "NOT", "NULL"):
		return []fact{{column: left.column}}, true
	case left.column != "" && p.take("IS", "NULL"):
		return []fact{{column: left.column, null: true}}, true
	case left.column != "" && p.take("BETWEEN"):
		from, fine := p.operand()
		if !fine || !p.take("AND") {
			return nil, false
		}
		to, fine := p.operand()
		if !fine || !from.number || !to.number {
			return nil, false
		}
		return []fact{{column: left.column, least: table.Decimal(from.value), most: table.Decimal(to.value)}}, true
	case left.column != "" && p.take("IN", "("):
		return p.values(left.column, ")")
	case left.column != "" && p.take("=", "ANY", "("):
		return p.array(left.column)
	}
	for _, op := range []string{"<=", ">=", "<", ">", "="} {
		if !p.take(op) {
			continue
		}
		right, fine := p.operand()
		if !fine || (left.column == "") == (right.column == "") {
			return nil, false
		}
		if left.column == "" { // exchange the sides
			left, right = right, left
			op = map[string]string{"<=": ">=", ">=": "<=", "<": ">", ">": "<", "=": "="}[op]
		}
		f := fact{column: left.column}
		switch {
		case op == "=":
			f.values = []string{right.value}
		case !right.number:
			return nil, false
		case op[0] == '>':
			f.least, f.above = table.Decimal(right.value), op == ">"
		default:
			f.most, f.below = table.Decimal(right.value), op == "<"
		}
		return []fact{f}, true
	}
	return nil, false
}

// values parses a list of numbers and texts up to the closing token (end). It returns the fact that the column has
// only these values.
func (p *conditionParser) values(column, end string) ([]fact, bool) {
	f := fact{column: column}
	for {
		o, ok := p.operand()
		if !ok || o.column != "" {
			return nil, false
		}
		f.values = append(f.values, o.value)
		if p.take(end) {
			return []fact{f}, true
		}
		if !p.take(",") {
			return nil, false
		}
	}
}

// array parses the part after ANY in column = ANY (ARRAY[…]) or column = ANY ((ARRAY[…])::type[]). PostgreSQL
// writes IN in this form.
func (p *conditionParser) array(column string) ([]fact, bool) {
	nested := p.take("(")
	if !p.take("ARRAY", "[") {
		return nil, false
	}
	f, ok := p.values(column, "]")
	if !ok || nested && !p.take(")") {
		return nil, false
	}
	if p.take("::") {
		p.castType()
	}
	return f, p.take(")")
}

// learn adds a fact about the values to the column, or a note if a schema cannot express the fact.
func (c *Column) learn(f fact) {
	switch {
	case f.null:
	case len(f.values) > 0 && (c.Kind == table.NumberKind || c.Kind == table.TextKind || c.Kind == table.UnknownKind):
		if c.Kind == table.NumberKind && c.Places > 0 {
			c.Notes = append(c.Notes, "A constraint lists its numbers: "+tomlList(f.values[:min(len(f.values), 50)])+".")
			return
		}
		if c.closed() {
			return
		}
		for _, v := range f.values {
			c.addCategory(v, v)
		}
		c.Kind = table.CategoryKind
		c.simplify()
	case c.Kind != table.NumberKind || len(f.values) > 0:
	default:
		c.narrow(f)
	}
}

// narrow restricts the range of a numeric column to the range that the fact states.
func (c *Column) narrow(f fact) {
	shift := func(d table.Decimal, by string, excluded bool) table.Decimal {
		if !excluded || c.Places > 0 {
			return d
		}
		r := d.Rat()
		one, _ := table.ParseDecimal(by)
		r.Add(r, one.Rat())
		if !d.Rat().IsInt() {
			return d // the next whole number is in the range
		}
		whole, _ := table.ParseDecimal(r.FloatString(0))
		return whole
	}
	if f.least != "" {
		if d := shift(f.least, "1", f.above); c.Least == "" || d.Rat().Cmp(c.Least.Rat()) > 0 {
			c.Least = d
		}
	}
	if f.most != "" {
		if d := shift(f.most, "-1", f.below); c.Most == "" || d.Rat().Cmp(c.Most.Rat()) < 0 {
			c.Most = d
		}
	}
	if c.Places > 0 && (f.above || f.below) {
		c.Notes = append(c.Notes, "A constraint excludes an end of its range.")
	}
}
