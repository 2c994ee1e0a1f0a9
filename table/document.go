package table

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
