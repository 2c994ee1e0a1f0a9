package table

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/sibyl-dp/sibyl/internal/quote"
)

// MostBytes is the maximum length of a schema or a model, in bytes.
const MostBytes = 64 << 20

// mostPieces is the maximum number of values in a schema. It limits the memory for parsing, because a value may need
// a hundred times as many bytes in memory as in the text.
const mostPieces = 1 << 22

// ReadDocument reads the text of a schema or a model to its end. It returns an error, which does not name the
// document, if reading fails or the text is longer than MostBytes.
func ReadDocument(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, MostBytes+1))
	switch {
	case err != nil:
		return nil, quote.Cause(err) // the caller adds the name
	case len(text) > MostBytes:
		return nil, fmt.Errorf("it is longer than %d MiB", MostBytes>>20)
	}
	return text, nil
}

// A node is a value in a TOML or JSON document, in a form that is common to both, so that one decoder serves both
// formats. Nodes preserve the order of keys and, for TOML, the line numbers.
type node struct {
	kind kind
	line int     // the number of the line, or 0 if it is unknown
	text string  // the text of a string, or that of a number as the document has it
	on   bool    // the truth value, for boolKind
	list []*node // the elements of a list, or the values of a map
	keys []string
	at   map[string]int // the index of each key of a map
}

type kind string

const (
	textKind   kind = "a string"
	numberKind kind = "a number"
	boolKind   kind = "true or false"
	listKind   kind = "a list"
	mapKind    kind = "a table"
	otherKind  kind = "a value of another type"
)

// get returns the value of a key of the map n, or nil if the map does not contain the key.
func (n *node) get(key string) *node {
	if i, found := n.at[key]; found {
		return n.list[i]
	}
	return nil
}

// set adds a key and its value to the map n, which must not contain the key yet.
func (n *node) set(key string, value *node) {
	if n.at == nil {
		n.at = make(map[string]int)
	}
	n.at[key] = len(n.keys)
	n.keys = append(n.keys, key)
	n.list = append(n.list, value)
}

// lineOf returns the line of the value at a path such as "attribute.2.cuts.1", or of the innermost enclosing value
// whose line is known. Each part of the path is a key of a map, or an index into a list or into the values of a map.
func (n *node) lineOf(path string) int {
	line := n.line
	for part := range strings.SplitSeq(path, ".") {
		next := n.get(part)
		if i, err := strconv.Atoi(part); err == nil && i < len(n.list) {
			next = n.list[i]
		}
		if next == nil {
			break
		}
		n = next
		if n.line > 0 {
			line = n.line
		}
	}
	return line
}

// firstLine returns the line on which the value n begins. If this line is unknown, it returns the line of the first
// value nested in n whose line is known.
func (n *node) firstLine() int {
	for n.line == 0 && len(n.list) > 0 {
		n = n.list[0]
	}
	return n.line
}
