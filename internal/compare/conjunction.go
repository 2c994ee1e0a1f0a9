package compare

import (
	"context"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/rule"
)

// A Conjunction is satisfied by the records that have the given value in each of its columns. It has
// at most one literal for each column, in ascending order. The empty conjunction is always
// satisfied.
type Conjunction []Literal

// A Literal is satisfied if a column, by its index in Pair.Columns, has a value, by the code of its
// category.
type Literal struct {
	Column int
	Value  uint16
}

// Rule returns the query for all literals.
func (c Conjunction) Rule() rule.Body {
	var all rule.All
	for _, l := range c {
		all = append(all, rule.Condition{Attribute: l.Column, Accepts: []uint16{l.Value}})
	}
	return rule.Decision{Formula: all}
}

// Limits bounds a search for the worst conjunction. The zero value sets no bounds.
type Limits struct {
	// Order is the maximum number of literals, 0 for any.
	Order int
	// Steps is the approximate number of accesses to records, of a few nanoseconds each, after which
	// the search gives up; 0 for no limit. The proof takes a few times as many steps again.
	Steps int64
}

// WorstConjunction finds a conjunction with the greatest |p_A - p_B|, and proves that no conjunction
// has a greater one. It evaluates all conjunctions of one literal and of two, searches those of up
// to three, and then all. If the limit of steps ends the search, it returns the best conjunction
// found, and the order up to which none is greater. Equal pairs and limits have equal results. The
// only error is the context's.
//
// The running time depends on the number of records that can still increase the difference at each
// conjunction. In the worst case it is proportional to the number of conjunctions.
func (p *Pair) WorstConjunction(ctx context.Context, l Limits) (Worst, error) {
	asked := len(p.columns)
	if l.Order > 0 {
		asked = min(l.Order, asked)
	}
	b := newBranching(ctx, p, asked)
	proved := 0
	for _, order := range []int{1, 2, 3, asked} {
		if order = min(order, asked); order == proved {
			continue
		}
		run := b.run
		if order <= 2 {
			run = b.look
		}
		ended, err := run(order, l.Steps)
		if err != nil {
			return Worst{}, err
		}
		if !ended {
			break
		}
		proved = order
	}
	if err := p.check(ctx, b.query, b.best, proved, b.trie.order); err != nil {
		return Worst{}, err
	}
	w := p.worst(b.query.Rule())
	w.Order, w.Certified = proved, proved == asked
	return w, nil
}

// order returns the columns in the order in which they are decided: those with many categories
// first. Their literals are satisfied by few rows, and without them many records are equal.
func (p *Pair) order() []int {
	order := make([]int, len(p.columns))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(i, j int) int { return p.sizes[j] - p.sizes[i] })
	return order
}
