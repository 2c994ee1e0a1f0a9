package compare

import (
	"context"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/rule"
)

// A Conjunction is a query: a list of literals, which is satisfied by the records that satisfy all of them. It has at
// most one literal for each column, in the order of the columns. Every record satisfies the empty conjunction.
type Conjunction []Literal

// A Literal is the condition that a column has a certain value. The column is given by its index in Pair.Columns, and
// the value by the code of its category.
type Literal struct {
	Column int
	Value  uint16
}

// Rule returns the conjunction as a rule, the common form of all queries.
func (c Conjunction) Rule() rule.Body {
	var all rule.All
	for _, l := range c {
		all = append(all, rule.Condition{Attribute: l.Column, Accepts: []uint16{l.Value}})
	}
	return rule.Decision{Formula: all}
}

// Limits limits a search for the conjunction on which two tables differ most. The zero value sets no limits.
type Limits struct {
	// Order is the maximum number of literals; 0 for no limit.
	Order int
	// Steps is the approximate number of accesses to records after which the search stops; 0 for no limit. An access
	// takes a few nanoseconds. The proof takes a few times as many steps in addition.
	Steps int64
}

// WorstConjunction finds the conjunction for which the shares of rows that satisfy it differ most between the two
// tables, and proves that no conjunction has a greater difference.
//
// It first evaluates all conjunctions of one and of two literals, then searches those of up to three literals, and
// then all. If the search reaches the limit on steps, the result is the best conjunction found so far. The proof then
// covers only conjunctions of up to Worst.Order literals. The result depends only on the pair of tables and the
// limits. The only possible error is that of the context.
//
// The search skips the extensions of a conjunction if too few records satisfy it to exceed the best difference so far.
// In the worst case it skips none, and its time is proportional to the number of conjunctions.
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

// order returns the order in which the search decides the columns: those with the most categories first. This saves
// time because few rows satisfy a literal on a column with many categories, and because many records agree on all
// remaining columns once these columns are decided, so that they can be merged.
func (p *Pair) order() []int {
	order := make([]int, len(p.columns))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(i, j int) int { return p.sizes[j] - p.sizes[i] })
	return order
}
