package table

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
)

// MostBytes is the greatest length of a schema or of a model.
const MostBytes = 64 << 20

// mostPieces bounds how many values a schema may have, which take up to a
// hundred times the space of their text.
const mostPieces = 1 << 22

// ReadDocument reads the text of a schema or a model to its end, or returns an
// error as soon as it is longer than MostBytes.
func ReadDocument(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, MostBytes+1))
	var path *fs.PathError
	switch {
	case errors.As(err, &path):
		return nil, path.Err // the caller knows the name
	case err != nil:
		return nil, err
	case len(text) > MostBytes:
		return nil, fmt.Errorf("it is longer than %d MiB", MostBytes>>20)
	}
	return text, nil
}

// A node is a value of a TOML or JSON document. Both languages are read into
// nodes, so that one decoder holds both to the same rules, the order of keys
// is kept, and every value knows its line.
type node struct {
	kind kind
	line int
	text string  // of a string; of a number as written
	on   bool    // of a truth value
	list []*node // of a list; of a map, the values of keys
	keys []string
	at   map[string]int // of a map, the place of each key
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

// get returns the value of the key of a map, or nil.
func (n *node) get(key string) *node {
	if i, found := n.at[key]; found {
		return n.list[i]
	}
	return nil
}

// set enters a key that a map does not have yet.
func (n *node) set(key string, value *node) {
	if n.at == nil {
		n.at = make(map[string]int)
	}
	n.at[key] = len(n.keys)
	n.keys = append(n.keys, key)
	n.list = append(n.list, value)
}

// lineOf is the line of the value at the path, or of the nearest one above it
// that knows its line. Parts of a path are keys of a map, or places in a list or
// among the groups of a map.
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

// firstLine is the line of a value, or of what stands in it.
func (n *node) firstLine() int {
	for n.line == 0 && len(n.list) > 0 {
		n = n.list[0]
	}
	return n.line
}
