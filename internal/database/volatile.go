package database

import (
	"slices"
	"strings"
)

// A query must have the same rows each time that one release asks it. An engine that knows its volatile
// functions is asked for them (Dialect.Plan). The words of a query show the best known ones, and
// rows without an order of which some are taken; views and functions are not looked into.

// A Volatility is words of a query that may have other rows when it runs again, in small letters.
type Volatility struct {
	Functions []string // that are called
	Bare      []string // functions that are called without arguments
	Names     []string // that stand alone
	Texts     []string // the values of literals
}

// clocks are names that stand for the time, where a transaction has several of it.
var clocks = []string{"current_date", "current_time", "current_timestamp"}

// Volatile returns by which words a query may have other rows when it runs again, such as "it has
// random()", or the empty text. It skips comments and texts.
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
	ordered := []bool{false} // whether the SELECT at each depth of parentheses has an order
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

// A Lexis is how an engine's queries are divided into words. The zero value is that of PostgreSQL and
// DuckDB: texts between dollars, escapes in texts after E alone, and comments within comments.
type Lexis struct {
	Names   string // what names stand between, the double quote where it is empty; [ is closed by ]
	Texts   string // what texts stand between, the single quote where it is empty
	Escapes bool   // a backslash escapes in all texts
	Hash    bool   // a comment may begin by #, one of two hyphens needs a blank, and /*! begins none
	Flat    bool   // neither comments within comments nor texts between dollars
}

// A token is a word in small letters, a quoted name likewise, a text without its quotes, in small
// letters, or one other character.
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

// enclosed returns what stands between quotes, where a doubled one stands for itself, and the length of
// all. The second quote is the first where it is not given.
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

// comment returns the length of the comment that q begins with.
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
