package compare

import (
	"cmp"
	"context"
	"slices"
)

// A search finds the conjunction of the greatest |Σ w| by branch and bound, depth first.
//
// A node has literals on columns decided so far; the records that satisfy them are merged
// where they agree in all columns to come. A conjunction below the node is satisfied by some
// of these parts, so that its |Σ w| is at most the sum of their positive weights, or that of
// their negative ones. (docs/proofs/compare.md)
type search struct {
	ctx    context.Context
	limits Limits
	trie   *trie
	query  Conjunction
	best   int64 // |Σ w| of the query
	open   int64 // the greatest bound of what was not searched
	steps  int64
	lists  [][]part // of the node after so many literals
	sums   []sums   // of each value; all 0 between uses
	path   Conjunction
}

// A part is some records that agree in all columns to come, with the sum of their weights.
type part struct {
	at     uint32 // in the trie's level
	weight int64
}

// sums are those of positive weights and of negative ones, the latter negated.
type sums struct{ positive, negative int64 }

func (s *sums) add(weight int64) {
	if weight > 0 {
		s.positive += weight
	} else {
		s.negative -= weight
	}
}

func (s sums) bound() int64      { return max(s.positive, s.negative) }
func (s sums) difference() int64 { return max(s.positive-s.negative, s.negative-s.positive) }

func (s *search) run(p *Pair) error {
	s.lists = make([][]part, min(s.limits.Order, len(s.trie.order))+1)
	s.sums = make([]sums, slices.Max(p.sizes))
	var all sums
	for i, w := range s.trie.weights {
		if w != 0 {
			s.lists[0] = append(s.lists[0], part{uint32(i), w})
			all.add(w)
		}
	}
	if all.difference() > s.best {
		s.found(all.difference())
	}
	return s.visit(s.lists[0], 0, all.bound())
}

// found notes that the path has a greater difference than any before.
func (s *search) found(difference int64) {
	s.best = difference
	s.query = slices.Clone(s.path)
	slices.SortFunc(s.query, func(a, b Literal) int { return cmp.Compare(a.Column, b.Column) })
}

// visit searches below the path, which decides the columns before level k and is itself
// known; its parts are changed.
func (s *search) visit(parts []part, k int, bound int64) error {
	for ; k < len(s.trie.levels) && len(s.path) < s.limits.Order && bound > s.best; k++ {
		if s.limits.Steps > 0 && s.steps > s.limits.Steps {
			s.open = max(s.open, bound)
			return nil
		}
		if s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		s.steps += int64(len(parts))
		for _, c := range s.children(parts, k) {
			if c.bound() <= s.best {
				continue
			}
			s.path = append(s.path, Literal{s.trie.order[k], c.value})
			if c.difference() > s.best {
				s.found(c.difference())
			}
			if err := s.visit(s.with(parts, k, c.value), k+1, c.bound()); err != nil {
				return err
			}
			s.path = s.path[:len(s.path)-1]
		}
		parts, bound = s.without(parts, k)
	}
	return nil
}

// A child decides one column more.
type child struct {
	value uint16
	sums
}

// children returns the values of the level that may have a greater difference below.
func (s *search) children(parts []part, k int) (open []child) {
	value := s.trie.levels[k].value
	var seen []uint16
	for _, q := range parts {
		v := value[q.at]
		if s.sums[v] == (sums{}) {
			seen = append(seen, v)
		}
		s.sums[v].add(q.weight)
	}
	for _, v := range seen {
		if s.sums[v].bound() > s.best {
			open = append(open, child{v, s.sums[v]})
		}
		s.sums[v] = sums{}
	}
	return open
}

// with returns the parts that have a value at the level.
func (s *search) with(parts []part, k int, v uint16) []part {
	l := &s.trie.levels[k]
	list := s.lists[len(s.path)][:0]
	for _, q := range parts {
		if l.value[q.at] == v {
			list = append(list, part{l.next[q.at], q.weight})
		}
	}
	s.lists[len(s.path)] = list
	s.steps += int64(len(parts))
	return list
}

// without merges the parts that agree beyond the level, in place, and returns their bound.
func (s *search) without(parts []part, k int) ([]part, int64) {
	next := s.trie.levels[k].next
	merged := parts[:0]
	var all sums
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
