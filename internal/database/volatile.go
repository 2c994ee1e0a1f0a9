package database

import (
	"slices"
	"strings"
)

// A query must return the same rows each time that a release executes it. If the engine can report volatile
// functions, the engine is asked (Dialect.Plan). Otherwise Volatile searches the words of the query for the most
// common volatile functions, and for LIMIT without ORDER BY. It does not inspect views and functions.

// A Volatility lists words, in lower case, that make a query volatile. A query is volatile if its rows may differ
// between executions.
type Volatility struct {
	Functions []string // calls of these functions
	Bare      []string // calls of these functions without arguments
	Names     []string // these names without parentheses
	Texts     []string // string literals with these values
}

// clocks lists the SQL names for the current date and time. It is used for engines in which they may change during a
// transaction.
var clocks = []string{"current_date", "current_time", "current_timestamp"}

// Volatile returns the reason why a query may return different rows when it runs again, such as "it has random()".
// It returns "" if it finds no reason. Comments are ignored, and so are string literals, except those in
// Volatility.Texts.
func (d *Dialect) Volatile(query string) (why string) {
	if words := d.volatile(query); words != "" {
		return "it has " + words
	}
	return ""
}

func (d *Dialect) volatile(query string) string {
	of := d.Volatility
	tokens := d.Lexis.tokens(query)
	at := func(i int) token {
		if i < 0 || i >= len(tokens) {
			return token{}
		}
		return tokens[i]
	}
	ordered := []bool{false} // by nesting depth of parentheses, whether the SELECT has ORDER BY
	for i, t := range tokens {
		next, top := at(i+1), len(ordered)-1
		switch {
		case t.is(sign, "("):
			ordered = append(ordered, false)
			continue
		case t.is(sign, ")") && top > 0:
			ordered = ordered[:top]
			continue
		case t.kind == literal && slices.Contains(of.Texts, t.text):
			return "'" + t.text + "'"
		case t.kind != word && t.kind != quoted:
			continue
		case next.is(sign, "("):
			if slices.Contains(of.Functions, t.text) || at(i+2).is(sign, ")") && slices.Contains(of.Bare, t.text) {
				return t.text + "()"
			}
		}
		if t.kind == quoted || at(i-1).is(sign, ".") || next.is(sign, ".") {
			continue // a column or a table
		}
		switch {
		case slices.Contains(of.Names, t.text):
			return strings.ToUpper(t.text)
		case len(of.Functions) > 0 && t.text == "using" && next.is(word, "sample"):
			return "USING SAMPLE"
		case t.text == "order" && next.is(word, "by"):
			ordered[top] = true
		case t.text == "limit" && !ordered[top]:
			return "LIMIT without ORDER BY"
		case t.text == "fetch" && (next.is(word, "first") || next.is(word, "next")) && !ordered[top]:
			return "FETCH without ORDER BY"
		}
	}
	return ""
}

// A Lexis describes the lexical syntax of a database engine. The zero value describes PostgreSQL and DuckDB:
// dollar-quoted literals, backslash escapes only in literals with the prefix E, and nested comments.
type Lexis struct {
	Names   string // the quotes of identifiers, by default the double quote; [ is closed by ]
	Texts   string // the quotes of string literals, by default the single quote
	Escapes bool   // whether a backslash is an escape in all string literals
	Hash    bool   // whether # begins a comment, -- needs a following blank, and /*! does not begin a comment
	Flat    bool   // whether comments are not nested, and there are no dollar-quoted literals
}

// A token is a lexical unit of a query: a word, a quoted identifier, a string literal without its quotes, or a
// single other character. Its text is in lower case.
type token struct {
	kind tokenKind
	text string
}

type tokenKind int

const (
	sign tokenKind = iota
	word
	quoted
	literal
)

func (t token) is(kind tokenKind, text string) bool { return t.kind == kind && t.text == text }

func isWord(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func (l Lexis) tokens(query string) (all []token) {
	names, texts := l.Names, l.Texts
	if names == "" {
		names = `"`
	}
	if texts == "" {
		texts = "'"
	}
	for q := query; q != ""; {
		c := q[0]
		switch {
		case strings.HasPrefix(q, "--") && (!l.Hash || len(q) == 2 || q[2] <= ' '), c == '#' && l.Hash:
			_, q, _ = strings.Cut(q, "\n")
		case strings.HasPrefix(q, "/*") && !(l.Hash && (strings.HasPrefix(q, "/*!") || strings.HasPrefix(q, "/*M!"))):
			q = q[l.comment(q):]
		case strings.IndexByte(names, c) >= 0:
			inner, n := enclosed(q, map[byte]byte{'[': ']'}[c], false)
			all, q = append(all, token{quoted, strings.ToLower(inner)}), q[n:]
		case strings.IndexByte(texts, c) >= 0:
			escapes := l.Escapes || len(all) > 0 && all[len(all)-1].is(word, "e") && strings.HasSuffix(strings.ToLower(query[:len(query)-len(q)]), "e")
			inner, n := enclosed(q, 0, escapes)
			all, q = append(all, token{literal, strings.ToLower(inner)}), q[n:]
		case c == '$' && !l.Flat:
			tag, rest, ok := strings.Cut(q[1:], "$")
			if !ok || strings.IndexFunc(tag, func(r rune) bool { return r < 0x80 && !isWord(byte(r)) }) >= 0 {
				all, q = append(all, token{sign, "$"}), q[1:]
				continue
			}
			inner, rest, _ := strings.Cut(rest, "$"+tag+"$")
			all, q = append(all, token{literal, strings.ToLower(inner)}), rest
		case isWord(c):
			n := 1
			for n < len(q) && (isWord(q[n]) || q[n] == '$') {
				n++
			}
			all, q = append(all, token{word, strings.ToLower(q[:n])}), q[n:]
		case c <= ' ':
			q = q[1:]
		default:
			all, q = append(all, token{sign, q[:1]}), q[1:]
		}
	}
	return all
}

// enclosed parses the quoted text at the beginning of q. It returns the text within the quotes, in which a doubled
// quote is replaced by a single one, and its length in q with the quotes. The parameter second is the closing quote,
// or 0 if both quotes are the same. The parameter escapes states whether a backslash escapes the next character.
func enclosed(q string, second byte, escapes bool) (inner string, n int) {
	if second == 0 {
		second = q[0]
	}
	var b strings.Builder
	for n = 1; n < len(q); n++ {
		switch {
		case escapes && q[n] == '\\' && n+1 < len(q):
			n++
		case q[n] == second && n+1 < len(q) && q[n+1] == second:
			n++
		case q[n] == second:
			return b.String(), n + 1
		}
		b.WriteByte(q[n])
	}
	return b.String(), n
}

// comment returns the length, in bytes, of the comment with which q begins, or 0 if q does not begin with a comment.
func (l Lexis) comment(q string) int {
	depth := 0
	for n := 0; n < len(q); n++ {
		switch {
		case strings.HasPrefix(q[n:], "/*") && (depth == 0 || !l.Flat):
			depth++
			n++
		case strings.HasPrefix(q[n:], "*/"):
			depth--
			n++
			if depth == 0 {
				return n + 1
			}
		}
	}
	return len(q)
}
