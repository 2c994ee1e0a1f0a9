package declist

import "github.com/sibyl-dp/sibyl/class"

// A tree is the search tree of the class for one problem. It has three kinds of nodes:
//
//   - a prefix of d rules: all lists that begin with it. Its children are the list
//     that ends there (at the root two, one for each default) and "more". A prefix
//     with d = K is a single list.
//   - "more": the longer lists among these. Its children are the prefixes with one
//     rule more: first those with the label of the last rule, in ascending order of
//     antecedents, then those with the other label. At the root, label 0 is first.
//   - the list that ends at a prefix.
//
// If rules have a penalty, the root has one "more" for each number of rules, which is the goal of
// all nodes below it. A prefix with fewer rules than the goal has the single child "more", and a
// prefix with as many is a single list. So the hypotheses of a node have similar penalties.
// Otherwise the sampler's weights of nodes would count the many long lists as if they cost as
// little as short ones.
type tree struct {
	class *Class
	layout
	records []record
	masks   []bitset // for each literal, the records that satisfy it
	rules   int      // K
	base    int64    // the cost that every list incurs
	charges *charges
	total   sum    // the cost of each constant prediction minus base
	root    *level // the level of the empty prefix; read-only

	incumbent     List
	incumbentCost int64
}

// Tree builds the search tree of the problem in time proportional to the number of records times
// the number of pairs of attributes, plus the time of a local search for the incumbent.
func (c *Class) Tree(p class.Problem[[]uint16]) (class.Tree[List], error) {
	if !c.inRange(p) {
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

// Layout bounds the sums over cells and antecedents for each number of rules, the counts of lists,
// and the sets of records of all literals, 64 records to a cell.
func (c *Class) Layout(records int64) class.Layout {
	sums := int64(c.layout().cells + len(c.antecedents))
	sets := class.Product(int64(len(c.literals)), records/64+1)
	counts := class.Product(2*sums, int64(c.rules()+1), int64(len(c.counts.goals)+1))
	cells := class.Sum(class.Product(sums, int64(c.rules()+1)), counts, sets)
	return class.Layout{Cells: cells, Bytes: class.Sum(class.Product(64, cells), class.Product(100, records))}
}

// Plan returns nil: the tree depends on the class only.
func (t *tree) Plan() []int { return nil }

// Incumbent returns the list found by local search, and its cost.
func (t *tree) Incumbent() (List, int64) { return t.incumbent.clone(), t.incumbentCost }

// Ceiling returns the sum of the maximum costs of all records, penalties and terms.
func (t *tree) Ceiling() int64 { return t.base + t.total[0] + t.total[1] + t.charges.most }

// Walker returns a walker at the root.
func (t *tree) Walker() class.Walker[List] {
	w := &walker{
		t: t, frames: make([]frame, 2*t.rules+2), levels: make([]*level, t.rules),
		captured: newBitset(len(t.records)),
	}
	w.levels[0] = t.root
	root := &w.frames[0]
	*root = frame{
		antecedent: -1, unusedAbove: len(t.class.antecedents),
		settled: t.base, left: t.total, longer: t.base + t.charges.leastFrom[1],
	}
	root.bound = min(root.longer, t.base+t.total[0]+t.charges.empty(0), t.base+t.total[1]+t.charges.empty(1))
	return w
}
