package compare

import (
	"context"
	"errors"
	"slices"
)

// A Conjunction holds where every one of its columns has the value given. Without any it
// holds everywhere.
type Conjunction []Literal

// A Literal holds where a column has a value: a number of Pair.Columns, and a category's.
type Literal struct {
	Column int
	Value  uint16
}

// Limits bound a search for the worst conjunction. The zero value bounds nothing.
type Limits struct {
	Order int   // the greatest number of literals, 0 for any
	Steps int64 // what is looked at before the search gives up, 0 for no end; some 10 ns each
}

// A WorstConjunction is the one on which two tables differ most, as far as is known.
type WorstConjunction struct {
	Query           Conjunction // by column
	Real, Synthetic int64       // the rows that satisfy it
	Error           float64     // |p_A - p_B| of it
	AtMost          float64     // no conjunction has a greater one
	Certified       bool        // it is the greatest, and a checker has proved it
}

// errUnproved reports a defect: what the search says is not so.
var errUnproved = errors.New("compare: the checker refutes the search")

// WorstConjunction finds a conjunction of the greatest |p_A - p_B|, and proves that there
// is no greater one. Where the limits end the search, it returns the best one found and a
// bound on all others. Equal pairs and limits have equal answers. It fails with the context's
// error alone.
//
// The time grows with the records that can still make a difference above the greatest at each
// conjunction; in the worst case, with the number of conjunctions.
func (p *Pair) WorstConjunction(ctx context.Context, l Limits) (WorstConjunction, error) {
	if l.Order <= 0 {
		l.Order = len(p.columns)
	}
	s := &search{ctx: ctx, limits: l, trie: newTrie(p, p.order())}
	s.query, s.best = p.climb(l.Order)
	if err := s.run(p); err != nil {
		return WorstConjunction{}, err
	}
	claim := claim{query: s.query, difference: s.best, bound: max(s.best, s.open)}
	if err := p.check(ctx, claim, s.trie.order, l.Order); err != nil {
		return WorstConjunction{}, err
	}
	w := WorstConjunction{Query: s.query, Error: p.share(s.best), AtMost: p.share(claim.bound), Certified: s.best == claim.bound}
	w.Real, w.Synthetic = p.count(w.Query)
	return w, nil
}

// order returns the columns as they are decided: those of many categories first, whose
// literals hold for few rows, and without which many records are equal.
func (p *Pair) order() []int {
	order := make([]int, len(p.columns))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(i, j int) int { return p.sizes[j] - p.sizes[i] })
	return order
}

// count returns how many rows of either table satisfy a conjunction.
func (p *Pair) count(c Conjunction) (real, synthetic int64) {
	for i := range p.Len() {
		if p.satisfies(i, c) {
			real += p.counts[0][i]
			synthetic += p.counts[1][i]
		}
	}
	return real, synthetic
}

func (p *Pair) satisfies(i int, c Conjunction) bool {
	for _, l := range c {
		if p.codes[l.Column][i] != l.Value {
			return false
		}
	}
	return true
}
