package perturb

import (
	"context"
	"errors"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/noise"
)

// ErrHeuristic reports an oracle that may return what is no minimiser, on which
// PRSMA proves nothing.
var ErrHeuristic = errors.New("perturb: PRSMA needs an oracle that never gives an unproved answer")

// Within returns runs of the mechanism that fail when the oracle exceeds the
// budget, for PRSMA.
func (m *RSPM[X, H]) Within(b oracle.Budget) (*Runs[X, H], error) {
	if m.oracle.Kind() == oracle.Heuristic {
		return nil, ErrHeuristic
	}
	return &Runs[X, H]{m, b}, nil
}

// Runs are runs of RSPM that may fail, on which PRSMA rests.
type Runs[X, H any] struct {
	*RSPM[X, H]
	budget oracle.Budget
}

// Draw shuffles the examples, lest an oracle's answer depend on an order that is
// more than the multiset of records, and draws the noise. The run fails where
// the noise leaves the words of a tree.
func (t *Runs[X, H]) Draw(d []learn.Example[X], coins noise.Coins) func(context.Context) (H, error) {
	order := make([]uint32, len(d))
	for i := range order {
		j := coins.Uint64n(uint64(i + 1))
		order[i] = order[j]
		order[j] = uint32(i)
	}
	k := t.vector.Sample(coins)
	return func(ctx context.Context) (H, error) {
		var none H
		terms, fits := words(k)
		if !fits {
			return none, oracle.ErrFail
		}
		shuffled := make([]learn.Example[X], len(d))
		for i, j := range order {
			shuffled[i] = d[j]
		}
		p, err := t.objective.Problem(shuffled, t.grid)
		if err != nil {
			return none, err
		}
		p.Terms = terms
		s, err := t.oracle.Minimize(ctx, p, t.budget)
		if err != nil {
			return none, err
		}
		return s.Hypothesis, nil
	}
}
