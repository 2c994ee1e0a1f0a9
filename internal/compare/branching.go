package compare

import (
	"cmp"
	"context"
	"slices"
)

// A branching finds the conjunction on which two tables differ most, by depth-first branch and bound. Let w be the
// weight of a record: the share of rows equal to it in the first table, minus the share in the second, as an integer
// (see Pair.weigh). The tables differ on a conjunction by |Σ w|, where the sum is over the records that satisfy it.
//
// A node of the search fixes the literals on the first columns, in the order of the search. The records that satisfy
// these literals are merged into parts: records that agree in all later columns are one part. Each conjunction below
// the node is satisfied by the records of some of these parts. Its |Σ w| is therefore at most the greater of two
// numbers: the sum of the positive weights of the parts, and the negated sum of their negative weights
// (docs/explanation/proofs/compare.md).
type branching struct {
	ctx    context.Context
	pair   *Pair
	trie   *trie
	query  Conjunction
	best   int64 // |Σ w| of the best query so far
	asked  int   // the maximum number of literals of a query
	order  int   // the maximum number of literals in the current run
	steps  int64 // the number of steps taken so far
	most   int64 // the maximum number of steps; 0 for no limit
	path   Conjunction
	lists  [][]part  // by number of literals, the parts of the current node
	opened [][]child // the children that were opened at each level of the path
	sums   []sums    // by value of a column; all 0 between uses
	seen   []uint16
}

// A part is a set of records that agree in all columns for which the search has not fixed a literal yet. Its weight is
// the sum of their weights (see Pair.weigh).
type part struct {
	at     uint32 // the index in the trie's level
	weight int64
}

// A sums holds the sum of the positive weights of some records or parts, and the negated sum of their negative
// weights.
type sums struct{ positive, negative int64 }

func (s *sums) add(weight int64) {
	if weight > 0 {
		s.positive += weight
	} else {
		s.negative -= weight
	}
}

func (s sums) bound() int64      { return max(s.positive, s.negative) }
func (s sums) difference() int64 { return abs(s.positive - s.negative) }

// A child of a search node fixes a literal on one more column, which must have the given value. The sums are those of
// the weights of the parts with this value.
type child struct {
	value uint16
	sums
}

// nodeSteps and lookSteps measure the time of a search in steps. One access to a part of the records is a step.
// Visiting a node counts as nodeSteps further steps, and computing a marginal as 1/lookSteps of a step for each
// record.
const (
	nodeSteps = 32
	lookSteps = 2
)

func newBranching(ctx context.Context, p *Pair, asked int) *branching {
	b := &branching{ctx: ctx, pair: p, asked: asked, trie: newTrie(p, p.order()), sums: make([]sums, slices.Max(p.sizes))}
	b.lists = make([][]part, len(p.columns)+1)
	b.opened = make([][]child, len(p.columns))
	b.query, b.best = p.climb(nil, asked)
	return b
}

// look evaluates all conjunctions with exactly the given number of literals (order), as cells of marginals, and then
// improves the best of them by local search (climb). If this would exceed the maximum number of steps (most), look
// does nothing and returns false. If most is 0, there is no maximum.
func (b *branching) look(order int, most int64) (ended bool, err error) {
	steps := binomial(len(b.pair.columns), order)
	if most > 0 && steps > (most-b.steps)/max(int64(b.pair.Len()/lookSteps), 1) {
		return false, nil
	}
	b.steps += steps * int64(b.pair.Len()/lookSteps)
	e, err := b.pair.Errors(b.ctx, order, Sample{})
	if err != nil {
		return false, err
	}
	if query, difference := b.pair.climb(e.Worst.Worst, b.asked); difference > b.best {
		b.query, b.best = query, difference
	}
	return true, nil
}

// run searches all conjunctions with at most the given number of literals (order). It returns false if the search
// reached the maximum number of steps (most) before its end.
func (b *branching) run(order int, most int64) (ended bool, err error) {
	b.order, b.most, b.path = order, most, b.path[:0]
	all, root := sums{}, b.lists[0][:0]
	for i, w := range b.trie.weights {
		if w != 0 {
			root = append(root, part{uint32(i), w})
			all.add(w)
		}
	}
	b.lists[0] = root
	b.see(all)
	b.visit(root, 0, all.bound())
	return !b.spent(), b.ctx.Err()
}

// spent reports whether the search must end because it has used all its steps or the context has ended.
func (b *branching) spent() bool { return b.most > 0 && b.steps > b.most || b.ctx.Err() != nil }

// see records the conjunction of the current path as the best query if its difference between the tables is the
// greatest so far. The parameter s holds the sums of the weights of the records that satisfy the conjunction.
func (b *branching) see(s sums) {
	if s.difference() > b.best {
		b.best = s.difference()
		b.query = slices.Clone(b.path)
		slices.SortFunc(b.query, func(x, y Literal) int { return cmp.Compare(x.Column, y.Column) })
	}
}

// visit searches the conjunctions that extend the current path by literals on the columns from level k on. The path
// has literals on some of the columns before this level, and has been evaluated already. The parameter parts holds the
// records that satisfy the path; visit modifies them. The parameter bound is an upper bound on the difference between
// the tables for all these conjunctions.
func (b *branching) visit(parts []part, k int, bound int64) {
	for ; k < len(b.trie.levels) && len(b.path) < b.order && bound > b.best; k++ {
		b.steps += int64(len(parts)) + nodeSteps
		if b.spent() {
			return
		}
		for _, c := range b.children(parts, k) {
			if c.bound() <= b.best {
				continue
			}
			b.path = append(b.path, Literal{b.trie.order[k], c.value})
			b.see(c.sums)
			if len(b.path) < b.order && c.bound() > b.best {
				b.visit(b.with(parts, k, c.value), k+1, c.bound())
			}
			b.path = b.path[:len(b.path)-1]
		}
		parts, bound = b.without(parts, k)
	}
}

// children returns the children of the current search node that fix a literal on the column of level k. It leaves out
// those below which no conjunction can have a greater difference than the best one so far.
func (b *branching) children(parts []part, k int) []child {
	value := b.trie.levels[k].value
	seen, open := b.seen[:0], b.opened[k][:0]
	for _, q := range parts {
		v := value[q.at]
		if b.sums[v] == (sums{}) {
			seen = append(seen, v)
		}
		b.sums[v].add(q.weight)
	}
	for _, v := range seen {
		if b.sums[v].bound() > b.best {
			open = append(open, child{v, b.sums[v]})
		}
		b.sums[v] = sums{}
	}
	b.seen, b.opened[k] = seen, open
	return open
}

// with returns the given parts that have the value v in the column of level k, as parts of level k+1.
func (b *branching) with(parts []part, k int, v uint16) []part {
	l, list := &b.trie.levels[k], b.lists[len(b.path)][:0]
	for _, q := range parts {
		if l.value[q.at] == v {
			list = append(list, part{l.next[q.at], q.weight})
		}
	}
	b.lists[len(b.path)] = list
	b.steps += int64(len(parts))
	return list
}

// without merges, in place, the parts that agree in all columns after level k. It also returns the upper bound on the
// difference between the tables for conjunctions on these columns.
func (b *branching) without(parts []part, k int) ([]part, int64) {
	next := b.trie.levels[k].next
	merged, all := parts[:0], sums{}
	for i := 0; i < len(parts); {
		one := part{next[parts[i].at], parts[i].weight}
		for i++; i < len(parts) && next[parts[i].at] == one.at; i++ {
			one.weight += parts[i].weight
		}
		if one.weight != 0 {
			merged = append(merged, one)
			all.add(one.weight)
		}
	}
	return merged, all.bound()
}
