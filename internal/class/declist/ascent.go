package declist

import "slices"

// An ascent searches for a decision list of low cost by local search: it inserts, replaces and
// deletes single rules as long as the cost decreases. It finds the best rule for a position and a
// label in one pass over the records.
type ascent struct {
	t           *tree
	cells, sums []sum
	row         []sum
}

func newAscent(t *tree) *ascent {
	return &ascent{t: t, cells: make([]sum, t.layout.cells), sums: make([]sum, len(t.class.antecedents)), row: make([]sum, t.widest())}
}

// best returns the best list that the local search finds, starting from the given list. After each
// search, it deletes one rule of the best list so far and searches again, until no deletion leads
// to a better list.
func (s *ascent) best(from List) List {
	h := s.climb(from)
	for again := true; again; {
		again = false
		for i := range h.Rules {
			if other := s.climb(s.without(h, i)); s.cost(other) < s.cost(h) {
				h, again = other, true
				break
			}
		}
	}
	return h
}

// climb improves the decision list h: it repeatedly makes the change of a single rule that lowers
// the cost most, until no change lowers the cost.
func (s *ascent) climb(h List) List {
	for cost := s.cost(h); ; {
		next := h
		for i := range len(h.Rules) + 1 {
			var others []List
			if len(h.Rules) < s.t.rules {
				others = append(others, s.withBestRule(h.Rules[:i], h.Rules[i:])...)
			}
			if i < len(h.Rules) {
				others = append(others, s.without(h, i))
				others = append(others, s.withBestRule(h.Rules[:i], h.Rules[i+1:])...)
			}
			for _, other := range others {
				if c := s.cost(other); c < cost {
					cost, next = c, other
				}
			}
		}
		if slices.Equal(next.Rules, h.Rules) && next.Default == h.Default {
			return h
		}
		h = next
	}
}

// without returns the decision list h without its rule i, in canonical form.
func (s *ascent) without(h List, i int) List {
	return canonical(slices.Delete(slices.Clone(h.Rules), i, i+1))
}

// withBestRule inserts one rule between the rules in before and the rules in after. It returns two
// lists: one with the best rule that has label 0, and one with the best rule that has label 1.
func (s *ascent) withBestRule(before, after []Rule) []List {
	var out []List
	for y := range 2 {
		clear(s.cells)
		for i, r := range s.t.records {
			if s.first(before, i) >= 0 {
				continue
			}
			z := 1 - y
			if n := len(after); n > 0 {
				z = 1 - bit(after[n-1].Label)
			}
			if at := s.first(after, i); at >= 0 {
				z = bit(after[at].Label)
			}
			s.t.add(s.cells, r.x, sum{r.excess[y] - r.excess[z]})
		}
		sums := s.t.fold(s.cells, s.sums, s.row)
		best := -1
		var least int64
		for a := range sums {
			used := func(r Rule) bool { return r.Antecedent == a }
			if slices.ContainsFunc(before, used) || slices.ContainsFunc(after, used) {
				continue
			}
			if v := sums[a][0] + s.t.charges.of(len(before), a, y); best < 0 || v < least {
				best, least = a, v
			}
		}
		if best >= 0 {
			out = append(out, canonical(slices.Concat(before, []Rule{{best, y == 1}}, after)))
		}
	}
	return out
}

// first returns the index of the first of the given rules whose antecedent record i satisfies, or
// -1 if there is no such rule.
func (s *ascent) first(rules []Rule, i int) int {
	for at, r := range rules {
		p, q := s.t.class.antecedents[r.Antecedent][0], s.t.class.antecedents[r.Antecedent][1]
		if s.t.masks[p].has(i) && (q == none || s.t.masks[q].has(i)) {
			return at
		}
	}
	return -1
}

// cost returns the cost of list h, without the cost tree.base that every list incurs.
func (s *ascent) cost(h List) int64 {
	cost := int64(0)
	if len(h.Rules) == 0 {
		cost = s.t.charges.empty(bit(h.Default))
	}
	for i, r := range h.Rules {
		cost += s.t.charges.of(i, r.Antecedent, bit(r.Label))
	}
	for i, r := range s.t.records {
		z := h.Default
		if at := s.first(h.Rules, i); at >= 0 {
			z = h.Rules[at].Label
		}
		cost += r.excess[bit(z)]
	}
	return cost
}

// canonical returns the decision list of the given rules in canonical form. Without rules, the result is the empty
// list with default 0.
func canonical(rules []Rule) List {
	if len(rules) == 0 {
		return List{}
	}
	for from, to := 0, 0; from < len(rules); from = to {
		for to < len(rules) && rules[to].Label == rules[from].Label {
			to++
		}
		slices.SortFunc(rules[from:to], func(p, q Rule) int { return p.Antecedent - q.Antecedent })
	}
	return withDefault(rules)
}

func bit(y bool) int {
	if y {
		return 1
	}
	return 0
}
