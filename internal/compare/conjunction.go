package compare

import (
	"context"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/rule"
)

// A Conjunction holds where every one of its columns has the value given: none, or one
// literal on each of some columns, in order. Without any it holds everywhere.
type Conjunction []Literal

// A Literal holds where a column has a value: a number of Pair.Columns, and a category's.
type Literal struct {
	Column int
	Value  uint16
}

// Rule returns the query whether all literals hold.
func (c Conjunction) Rule() rule.Body {
	var all rule.All
	for _, l := range c {
		all = append(all, rule.Condition{Attribute: l.Column, Accepts: []uint16{l.Value}})
	}
	return rule.Decision{Formula: all}
}

// Limits bound a search for the worst conjunction. The zero value bounds nothing.
type Limits struct {
	// Order is the greatest number of literals, 0 for any.
	Order int
	// Steps end the search, 0 for no end: looks at a record, of a few nanoseconds each. It
	// gives up after so many, or somewhat more; the proof takes a few times as many again.
	Steps int64
}

// WorstConjunction finds a conjunction of the greatest |p_A - p_B|, and proves that there is
// no greater one. It looks at all of one literal, all of two, searches those of up to three,
// and then all; where the limit of steps ends that, it returns the best that was found, and the
// order up to which none is greater. Equal pairs and limits have equal answers. It fails with
// the context's error alone.
//
// The time grows with the records that can still make a greater difference at each
// conjunction; in the worst case, with the number of conjunctions.
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
