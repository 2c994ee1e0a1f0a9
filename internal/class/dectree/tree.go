package dectree

import (
	"strconv"
	"strings"
)

// A Tree is a leaf or an inner node of a decision tree. A leaf predicts Outcome. An inner node has
// the test of the class with index Test. Records for which the test is true continue at the subtree
// Yes, all others at No.
type Tree struct {
	Test    int
	Yes, No *Tree // both nil at a leaf
	Outcome int
}

// Leaf reports whether the tree is a leaf.
func (t *Tree) Leaf() bool { return t.Yes == nil && t.No == nil }

// Relabel returns a copy of the tree in which a leaf with outcome o has the outcome as(o).
func (t *Tree) Relabel(as func(outcome int) int) *Tree {
	if t.Leaf() {
		return &Tree{Outcome: as(t.Outcome)}
	}
	return &Tree{Test: t.Test, Yes: t.Yes.Relabel(as), No: t.No.Relabel(as)}
}

// Leaves returns the number of leaves of the tree.
func (t *Tree) Leaves() int {
	if t.Leaf() {
		return 1
	}
	return t.Yes.Leaves() + t.No.Leaves()
}

// String returns the outcome of a leaf in decimal. For an inner node it returns "(test yes no)": the number of the
// test and the texts of both subtrees.
func (t *Tree) String() string {
	var b strings.Builder
	t.write(&b)
	return b.String()
}

func (t *Tree) write(b *strings.Builder) {
	if t.Leaf() {
		b.WriteString(strconv.Itoa(t.Outcome))
		return
	}
	b.WriteString("(" + strconv.Itoa(t.Test) + " ")
	t.Yes.write(b)
	b.WriteByte(' ')
	t.No.write(b)
	b.WriteByte(')')
}
