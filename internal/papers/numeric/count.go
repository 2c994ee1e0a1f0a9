package numeric

import (
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// A state describes how the decided weights can be completed: an allowed weight is assigned to each undecided column.
// It depends only on the set of undecided columns and on two limits for them: the number of weights that may be
// nonzero, and the remaining squared norm.
type state struct {
	leaves  *big.Int // the number of completions
	choices []choice // the weights of the next column that have completions, ascending
	idle    bool     // whether all undecided weights must be 0
	norm    int64    // the remaining squared norm
	tight   bool     // whether the remaining squared norm is so small that it may exclude completions
	// The least and the greatest cost of a completion by Charge. The cost is that of the undecided
	// weights and, with NormBits, that of the norm of all weights.
	least, most int64
}

// A choice is a possible weight of the next column, with the state after this weight is chosen.
type choice struct {
	at    int         // the index of the weight in Column.Weights
	next  *state      // the state after this choice
	share class.Upper // an upper bound on the fraction of completions that have this weight
}

// A counter computes the states of a class (the numbers and costs of completions) for a given order of the columns.
type counter struct {
	class  *Class
	order  []int
	charge Charge  // the costs of choices; the zero value means no costs
	square []int64 // for each level, the greatest squared norm of the undecided weights
	known  map[place]*state
}

// A place identifies a state. The field level is the number of decided columns, uses is the number of undecided
// weights that may be nonzero, and norm is the remaining squared norm.
type place struct {
	level, uses int
	norm        int64
}

func newCounter(c *Class, order []int, charge Charge) *counter {
	k := &counter{class: c, order: order, charge: charge, square: make([]int64, len(order)+1), known: map[place]*state{}}
	for i := len(order) - 1; i >= 0; i-- {
		k.square[i] = k.square[i+1] + c.columns[order[i]].square()
	}
	return k
}

// root returns the state in which all columns are undecided, or nil if the class is empty.
func (k *counter) root() *state { return k.state(0, k.class.most(), k.class.norm()) }

// state returns the state with the given number of decided columns (level) and the remaining limits uses and norm. It
// returns nil if the decisions cannot be completed.
//
// Different limits can allow the same completions. To reduce the number of states, state then uses the least of these
// limits. With NormBits it keeps the exact remaining norm, since costs depend on the norm.
func (k *counter) state(level, uses int, norm int64) *state {
	at := place{level, min(uses, len(k.order)-level), norm}
	if !k.class.options.NormBits {
		at.norm = min(norm, k.square[level])
	}
	if s, ok := k.known[at]; ok {
		return s
	}
	s := &state{
		leaves: new(big.Int), norm: at.norm, tight: at.norm < k.square[level],
		idle: at.uses == 0 || at.norm == 0, least: math.MaxInt64, most: math.MinInt64,
	}
	if level == len(k.order) {
		s.leaves.SetInt64(1)
		s.least = k.charge.norm(k.class.norm() - norm)
		s.most = s.least
	} else {
		for i, w := range k.class.columns[k.order[level]].Weights {
			left := at.uses
			if w != 0 {
				left--
			}
			if left < 0 || w*w > at.norm {
				continue
			}
			if next := k.state(level+1, left, at.norm-w*w); next != nil {
				s.leaves.Add(s.leaves, next.leaves)
				s.choices = append(s.choices, choice{at: i, next: next})
				own := k.charge.weight(k.order[level], i)
				s.least = min(s.least, own+next.least)
				s.most = max(s.most, own+next.most)
			}
		}
	}
	for i := range s.choices {
		s.choices[i].share = class.Ratio(s.choices[i].next.leaves, s.leaves)
	}
	if s.leaves.Sign() == 0 {
		s = nil
	}
	k.known[at] = s
	return s
}
