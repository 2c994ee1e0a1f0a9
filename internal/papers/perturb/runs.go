package perturb

import (
	"context"
	"errors"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/noise"
)

// ErrHeuristic reports a heuristic oracle: it may return a hypothesis that is not a minimiser, and
// then the guarantee of PRSMA does not hold.
var ErrHeuristic = errors.New("perturb: PRSMA requires an oracle that proves its answers, not a heuristic")

// Within returns runs of the mechanism for PRSMA. A run fails if the oracle exceeds the budget.
func (m *RSPM[X, H]) Within(b oracle.Budget) (*Runs[X, H], error) {
	if m.oracle.Kind() == oracle.Heuristic {
		return nil, ErrHeuristic
	}
	return &Runs[X, H]{m, b}, nil
}

// Runs are independent runs of RSPM that may fail. They are the base mechanism of PRSMA.
type Runs[X, H any] struct {
	*RSPM[X, H]
	budget oracle.Budget
}

// Draw samples the randomness of a run, and returns a function that runs it without further
// randomness. It samples the noise and a random order of the examples, so that the distribution of
// the oracle's answer depends only on the multiset of records. The run fails with oracle.ErrFail if
// the noise exceeds 64 bits.
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
		terms, fits := int64s(k)
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
