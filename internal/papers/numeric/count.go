package numeric

import (
	"math"
	"math/big"

	"github.com/sibyl-dp/sibyl/class"
)

// A state is what the completions of some decided weights depend on: which
// columns are left, how many of them may be used, and how much of the norm is
// left.
type state struct {
	leaves  *big.Int // completions
	choices []choice // the weights of the next column that have completions, ascending
	idle    bool     // all further weights are 0
	norm    int64    // what is left of the norm
	tight   bool     // that is a limit
	// The least and the greatest sum of what the weights left and, with
	// NormBits, the whole norm are charged.
	least, most int64
}

// A choice is a weight of the next column.
type choice struct {
	at    int // among the column's weights
	next  *state
	share class.Upper
}

// A counter counts completions when columns are decided in a given order, and
// bounds what they are charged.
type counter struct {
	class  *Class
	order  []int
	charge Charge  // nothing where it is the zero value
	square []int64 // of each level, the greatest squared norm of what is left
	known  map[place]*state
}

// A place names a state.
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

// root returns the state with nothing decided, nil if there is no completion.
func (k *counter) root() *state { return k.state(0, k.class.most(), k.class.norm()) }

// state returns the state at a level, nil if it has no completion. Limits that
// limit nothing are made equal, so that few states differ; but where the norm
// is charged, it is kept.
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
