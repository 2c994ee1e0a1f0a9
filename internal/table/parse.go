package table

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"sort"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

// ParseSchema reads a schema in TOML. The name, usually that of the file, is used in error messages. An error is one
// sentence that begins with the name and, if known, the line. A text longer than MostBytes is an error.
func ParseSchema(name string, r io.Reader) (*Schema, error) {
	return parseSchema(name, r, decoder{toml: true})
}

func parseSchema(name string, r io.Reader, d decoder) (*Schema, error) {
	name = quote.Name(name)
	text, err := ReadDocument(r)
	if err != nil {
		return nil, fmt.Errorf("%s: the schema cannot be read: %w", name, err)
	}
	root, f, line := parseTOML(text)
	if f == nil {
		var schema *Schema
		if schema, f, line = decode(root, d); f == nil {
			return schema, nil
		}
	}
	if line > 0 {
		return nil, fmt.Errorf("%s:%d: %w", name, line, f)
	}
	return nil, fmt.Errorf("%s: %w", name, f)
}

// parseTOML parses a document and returns its root. For an invalid document, it returns a fault and its line, or 0 if
// the line is unknown. It preserves the digits of numbers and the order of keys, and rejects duplicate keys and tables.
func parseTOML(text []byte) (root *node, f *fault, line int) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if i := quote.Invalid(text); i >= 0 {
		return nil, faultf("", "the schema is not UTF-8 text"), 1 + bytes.Count(text[:i], []byte("\n"))
	}
	if pieces := bytes.Count(text, []byte("\n")) + bytes.Count(text, []byte(",")) + bytes.Count(text, []byte(".")); pieces > mostPieces {
		return nil, faultf("", "the schema is too large: it has more than %d lines, commas and points", mostPieces), 0
	}
	d := &tomlDocument{root: &node{kind: mapKind}, defined: make(map[*node]bool)}
	for i, c := range text {
		if c == '\n' {
			d.breaks = append(d.breaks, i)
		}
	}
	current := d.root
	var p unstable.Parser
	p.Reset(text)
	for p.NextExpression() {
		switch e := p.Expression(); e.Kind {
		case unstable.Table, unstable.ArrayTable:
			current, f, line = d.open(e)
		case unstable.KeyValue:
			f, line = d.enter(current, e)
		}
		if f != nil {
			return nil, f, line
		}
	}
	if err := p.Error(); err != nil {
		f, line = syntaxFault(text, err)
		return nil, f, line
	}
	return d.root, nil, 0
}

// syntaxFault returns a fault that describes a syntax error of a TOML document, and its line. It parses the whole text
// again, because the library reports the line only then.
func syntaxFault(text []byte, err error) (*fault, int) {
	line := 0
	var ignored map[string]any
	var located *toml.DecodeError
	if errors.As(toml.Unmarshal(text, &ignored), &located) {
		err = located
		line, _ = located.Position()
	}
	remedy := ""
	if lines := bytes.Split(text, []byte("\n")); 0 < line && line <= len(lines) && otherDate.Match(lines[line-1]) {
		remedy = "; write a date as 2020-01-31"
	}
	return faultf("", "the schema is not TOML: %s%s", quote.Line(strings.TrimPrefix(err.Error(), "toml: ")), remedy), line
}

// otherDate matches a line that contains an unquoted date in a format other than TOML's, such as 31.12.2020.
var otherDate = regexp.MustCompile(`^[^"'#]*[=\[,]\s*\d{1,2}[./-]\d{1,2}[./-]\d{4}\b`)

// A tomlDocument is a TOML document during its conversion to nodes.
type tomlDocument struct {
	root    *node
	breaks  []int          // offsets of the line breaks
	defined map[*node]bool // the tables and lists for which a header was read
}

func (d *tomlDocument) line(r unstable.Range) int {
	return 1 + sort.SearchInts(d.breaks, int(r.Offset))
}

// mostParts is the maximum number of parts of a dotted key. No key of a valid schema has as many.
const mostParts = 10

// path returns the parts of a dotted key, such as a and b of a.b, and the line of the key.
func (d *tomlDocument) path(e *unstable.Node) (parts []string, line int, f *fault) {
	for it := e.Key(); it.Next(); {
		if len(parts) == mostParts {
			return nil, line, faultf("", "a key has more than %d parts", mostParts)
		}
		parts = append(parts, string(it.Node().Data))
		line = d.line(it.Node().Raw)
	}
	return parts, line, nil
}

// keyName returns a dotted key, given by its parts, quoted for messages.
func keyName(parts []string) string { return quote.Name(strings.Join(parts, ".")) }

// open returns the table that a [header] or [[header]] begins, and creates it. If the document has already defined this
// table, open returns a fault and its line.
func (d *tomlDocument) open(e *unstable.Node) (*node, *fault, int) {
	parts, line, f := d.path(e)
	if f != nil {
		return nil, f, line
	}
	last := len(parts) - 1
	in, f := d.descend(d.root, parts[:last], 0)
	if f != nil {
		return nil, f, line
	}
	key, name := parts[last], keyName(parts)
	found := in.get(key)
	if e.Kind == unstable.Table {
		switch {
		case found == nil:
			found = &node{kind: mapKind, line: line}
			in.set(key, found)
		case found.kind == listKind:
			return nil, faultf("", "[%s] must be written [[%s]], as above", name, name), line
		case found.kind != mapKind || d.defined[found] || found.line > 0:
			return nil, faultf("", "[%s] is given twice", name), line
		}
		found.line = line
		d.defined[found] = true
		return found, nil, 0
	}
	if found == nil {
		found = &node{kind: listKind, line: line}
		in.set(key, found)
		d.defined[found] = true
	}
	if found.kind != listKind || !d.defined[found] {
		return nil, faultf("", "%s is given both as [[%s]] and in another form", name, name), line
	}
	table := &node{kind: mapKind, line: line}
	found.list = append(found.list, table)
	return table, nil, 0
}

// descend returns the table at the end of a path that begins at the given table (in). It creates missing tables, and
// records the given line for them. The line must be 0 if the document may still define these tables by a header.
func (d *tomlDocument) descend(in *node, path []string, line int) (*node, *fault) {
	for _, key := range path {
		next := in.get(key)
		if next == nil {
			next = &node{kind: mapKind, line: line}
			in.set(key, next)
		}
		if next.kind == listKind && d.defined[next] {
			next = next.list[len(next.list)-1]
		}
		if next.kind != mapKind {
			return nil, faultf("", "%s is already given, as %s", quote.Name(key), next.kind)
		}
		in = next
	}
	return in, nil
}

// enter adds a key and its value, a line "key = value" of the document, to the given table (in).
func (d *tomlDocument) enter(in *node, e *unstable.Node) (*fault, int) {
	parts, line, f := d.path(e)
	if f != nil {
		return f, line
	}
	last := len(parts) - 1
	in, f = d.descend(in, parts[:last], line)
	if f != nil {
		return f, line
	}
	if in.get(parts[last]) != nil {
		return faultf("", "%s is given twice", keyName(parts)), line
	}
	value, f, at := d.value(e.Value(), line)
	if f != nil {
		return f, at
	}
	in.set(parts[last], value)
	return nil, 0
}

func (d *tomlDocument) value(e *unstable.Node, line int) (*node, *fault, int) {
	if e.Raw.Length > 0 {
		line = d.line(e.Raw)
	}
	n := &node{line: line, text: string(e.Data)}
	switch e.Kind {
	case unstable.String:
		n.kind = textKind
	case unstable.Integer, unstable.Float:
		n.kind = numberKind
	case unstable.Bool:
		n.kind = boolKind
		n.on = n.text == "true"
	case unstable.Array:
		n.kind = listKind
		for it := e.Children(); it.Next(); {
			if it.Node().Kind == unstable.Comment {
				continue
			}
			item, f, at := d.value(it.Node(), line)
			if f != nil {
				return nil, f, at
			}
			line = item.line
			n.list = append(n.list, item)
		}
	case unstable.InlineTable:
		n.kind = mapKind
		for it := e.Children(); it.Next(); {
			if it.Node().Kind != unstable.KeyValue {
				continue
			}
			if f, at := d.enter(n, it.Node()); f != nil {
				return nil, f, at
			}
		}
	default:
		n.kind = otherKind
	}
	return n, nil, 0
}
