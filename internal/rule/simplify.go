package rule

import "slices"

// Simplify returns a rule with the same predictions but without redundant parts. The parameter sizes holds the number
// of categories of each attribute. If all categories of an attribute have the same points, these points are subtracted
// from Start and Threshold, unless Points.Constant is true. A tree loses the conditions whose result follows from the
// conditions above them, and the leaves that no record can reach. Simplify also numbers the leaves of a tree.
func Simplify(b Body, sizes []int) Body {
	switch b := b.(type) {
	case Points:
		return b.folded()
	case *Tree:
		possible := make([][]uint16, len(sizes))
		for j, size := range sizes {
			possible[j] = Condition{}.Complement(size).Accepts
		}
		t := b.reduced(possible)
		for i, leaf := range t.Leaves() {
			leaf.Number = i + 1
		}
		return t
	}
	return b
}

func (p Points) folded() Points {
	if p.Constant {
		return p
	}
	for _, own := range p.Of {
		if len(own) > 0 && slices.Min(own) == slices.Max(own) {
			p.Start -= own[0]
			p.Threshold -= own[0]
		}
	}
	return p
}

// Merged returns a tree with the same predictions, but without the conditions that do not affect them. Its leaves have
// no numbers.
func (t *Tree) Merged() *Tree {
	if t.Leaf() {
		return &Tree{Predict: t.Predict}
	}
	yes, no := t.Yes.Merged(), t.No.Merged()
	if yes.Leaf() && no.Leaf() && yes.Predict == no.Predict {
		return yes
	}
	return &Tree{If: t.If, Yes: yes, No: no}
}

// reduced returns the simplified tree, given that records which reach it have only the possible category codes, which
// are listed for each attribute.
func (t *Tree) reduced(possible [][]uint16) *Tree {
	if t.Leaf() {
		return &Tree{Predict: t.Predict}
	}
	all := possible[t.If.Attribute]
	defer func() { possible[t.If.Attribute] = all }()
	yes, no := t.If.Divide(all)
	switch {
	case len(no) == 0:
		return t.Yes.reduced(possible)
	case len(yes) == 0:
		return t.No.reduced(possible)
	}
	out := &Tree{If: t.If}
	possible[t.If.Attribute] = yes
	out.Yes = t.Yes.reduced(possible)
	possible[t.If.Attribute] = no
	out.No = t.No.reduced(possible)
	return out
}
