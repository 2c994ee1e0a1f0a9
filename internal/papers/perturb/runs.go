package perturb

import (
	"context"
	"errors"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/internal/papers/oracle"
	"github.com/sibyl-dp/sibyl/noise"
)

// ErrHeuristic is returned for an oracle that is a heuristic. Its answers need not be minimizers, and then the
// guarantee of PRSMA would not hold.
var ErrHeuristic = errors.New("perturb: PRSMA requires an oracle that proves its answers, not a heuristic")

// Within returns the mechanism m in the form of a base mechanism of PRSMA, whose runs fail if the oracle exceeds the
// budget b. If the oracle is a heuristic, Within returns ErrHeuristic.
func (m *RSPM[X, H]) Within(b oracle.Budget) (*Runs[X, H], error) {
	if m.oracle.Kind() == oracle.Heuristic {
		return nil, ErrHeuristic
	}
	return &Runs[X, H]{m, b}, nil
}

// Runs is the base mechanism that PRSMA repeats: independent runs of RSPM that may fail.
type Runs[X, H any] struct {
	*RSPM[X, H]
	budget oracle.Budget
}

// Draw samples the randomness of a run on the examples d, and returns a function that executes the run without
// further randomness. The randomness consists of the noise and a random order of the examples, with which the
// distribution of the oracle's answer depends only on the multiset of records. The run fails with oracle.ErrFail if a
// noise term exceeds 64 bits.
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
