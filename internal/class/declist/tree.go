package declist

import "github.com/sibyl-dp/sibyl/class"

// A tree is the class laid out over one problem. Its nodes are of three kinds:
//
//   - a prefix of d rules: all lists that begin with it. Its children are the
//     list that ends there (at the root two, with either default) and "more".
//     With d = K it is a single list.
//   - "more": the longer ones among these. Its children are the prefixes of one
//     rule more: those with the label of the last rule first, antecedents
//     ascending, then those with the other label. At the root label 0 is first.
//   - the list that ends there.
//
// Where rules have a penalty, the root has one "more" for each number of rules,
// the *goal* of all nodes below: a prefix of fewer rules has the child "more"
// only, and one with as many is a single list. So hypotheses of one node
// differ little in their penalty, or a few rules would weigh in a draw as many
// would if these cost no more.
type tree struct {
	class *Class
	layout
	records []record
	masks   []bitset // of each literal
	rules   int      // K
	base    int64    // what no list can avoid
	charges *charges
	total   sum    // what either constant costs beyond base
	root    *level // of the empty prefix; read only

	incumbent     List
	incumbentCost int64
}

// Tree lays the class out for search over the problem. It takes a time that
// grows with the records times the pairs of attributes.
func (c *Class) Tree(p class.Problem[[]uint16]) (class.Tree[List], error) {
	if !c.spread(p) {
		return nil, class.ErrRange
	}
	t := &tree{class: c, layout: c.layout(), rules: c.rules(), charges: newCharges(c, p)}
	t.records, t.base = t.collapse(p.Points)
	t.masks = t.layout.masks(t.records)
	t.root = t.newLevel(0)
	for i, r := range t.records {
		t.root.records.add(i)
		t.total[0] += r.excess[0]
		t.total[1] += r.excess[1]
	}
	t.root.fill(t)
	t.incumbent = newAscent(t).best(t.beam())
	t.incumbentCost = class.Cost(c, p, t.incumbent)
	return t, nil
}

// Layout bounds the sums that every number of rules has, over cells and over
// antecedents, the counts of lists, and the set of records of each literal, 64 to
// a cell.
func (c *Class) Layout(records int64) class.Layout {
	sums := int64(c.layout().cells + len(c.antecedents))
	sets := class.Product(int64(len(c.literals)), records/64+1)
	counts := class.Product(2*sums, int64(c.rules()+1), int64(len(c.counts.goals)+1))
	cells := class.Sum(class.Product(sums, int64(c.rules()+1)), counts, sets)
	return class.Layout{Cells: cells, Bytes: class.Sum(class.Product(64, cells), class.Product(100, records))}
}

// Plan returns nothing: the class alone shapes the tree.
func (t *tree) Plan() []int { return nil }

// Incumbent returns the list that local search found.
func (t *tree) Incumbent() (List, int64) { return t.incumbent.clone(), t.incumbentCost }

// Ceiling returns what all records, penalties and terms cost at their worst.
func (t *tree) Ceiling() int64 { return t.base + t.total[0] + t.total[1] + t.charges.most }

// Walker returns a walker at the root.
func (t *tree) Walker() class.Walker[List] {
	w := &walker{
		t: t, frames: make([]frame, 2*t.rules+2), levels: make([]*level, t.rules),
		gone: newBitset(len(t.records)),
	}
	w.levels[0] = t.root
	root := &w.frames[0]
	*root = frame{
		antecedent: -1, above: len(t.class.antecedents),
		paid: t.base, left: t.total, more: t.base + t.charges.from[1],
	}
	root.bound = min(root.more, t.base+t.total[0]+t.charges.empty(0), t.base+t.total[1]+t.charges.empty(1))
	return w
}
