package rule

import "slices"

// Simplify returns a body with the same predictions, without redundant parts, for attributes with
// these numbers of categories.
//
// Unless points have a constant, the points of attributes whose categories all have the same points
// are subtracted from Start and Threshold. A tree has no condition that the conditions above it decide,
// and no leaf that no record can reach. Its leaves are numbered.
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

// reduced returns the tree for records whose categories are restricted to these.
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
