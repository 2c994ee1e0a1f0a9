package declist

import "github.com/sibyl-dp/sibyl/class"

// A tree is the search tree of the class for one problem. It has three kinds of nodes:
//
//   - A prefix of d rules contains all lists that begin with these rules. Its children are the list
//     that ends there and a node "more". The root is the empty prefix. Two lists end there, one for
//     each default. A prefix with the maximum number of rules, d = K, is a single list.
//   - A node "more" contains the lists of its parent that have further rules. Its children are the
//     prefixes with one more rule. The first are those whose new rule has the label of the last
//     rule, in ascending order of antecedents; those with the other label follow. At the root,
//     label 0 is first.
//   - A list that ends at a prefix is a leaf.
//
// The tree is different if rules have a penalty and the class is small enough to count lists by
// their number of rules. Then the root has one node "more" for each number of rules, which is the
// goal of all nodes below it. A prefix with fewer rules than its goal has the single child "more".
// A prefix with as many rules as its goal is a single list.
//
// Because of goals, the hypotheses below a node have similar penalties. Otherwise the sampler would
// give a node with many long lists the weight that it would have if these lists cost as little as
// its short ones.
type tree struct {
	class *Class
	layout
	records []record
	masks   []bitset // [literal of the class]: the records that satisfy it
	rules   int      // K
	base    int64    // the cost that every list incurs
	charges *charges
	total   sum    // [z]: the cost of predicting z for all records, minus base
	root    *level // the level of the empty prefix; read-only

	incumbent     List
	incumbentCost int64
}

// Tree builds the search tree of the problem. It takes time proportional to the number of records
// times the number of pairs of attributes, plus the time of a local search for the incumbent.
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

// Layout bounds the memory of a search tree over the given number of records. It counts
//
//   - one sum per cell and per antecedent, for each number of rules;
//   - the numbers of lists;
//   - for each literal, the set of its records, with one cell per 64 records.
func (c *Class) Layout(records int64) class.Layout {
	sums := int64(c.layout().cells + len(c.antecedents))
	sets := class.Product(int64(len(c.literals)), records/64+1)
	counts := class.Product(2*sums, int64(c.rules()+1), int64(len(c.counts.goals)+1))
	cells := class.Sum(class.Product(sums, int64(c.rules()+1)), counts, sets)
	return class.Layout{Cells: cells, Bytes: class.Sum(class.Product(64, cells), class.Product(100, records))}
}

// Plan returns nil, because the search tree of decision lists depends only on the class, not on choices made for a
// problem.
func (t *tree) Plan() []int { return nil }

// Incumbent returns the best list that a local search found, and its cost. Searches of the tree
// start from it.
func (t *tree) Incumbent() (List, int64) { return t.incumbent.clone(), t.incumbentCost }

// Ceiling returns an upper bound on the cost of every list: the maximum cost of all records, plus
// the maximum charges of a list.
func (t *tree) Ceiling() int64 { return t.base + t.total[0] + t.total[1] + t.charges.most }

// Walker returns a new walker at the root of the search tree.
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
