package robust

import (
	"context"
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/noise"
)

// Release samples the output. The examples d must be distinct. If the table has too many rows, Release returns
// ErrPlanRows before it samples anything. The only other possible error is that of the context. The output does not
// depend on the number of processors: all randomness is sampled in one goroutine, and only the execution of runs is
// concurrent.
//
// A distributed program can execute the same four steps where the rows are stored. With the same coins, its output is
// that of Release with a Grouping:
//
//  1. PartSizes, with the first noise.Fork of the coins
//  2. AssignRows for each group, with one further fork for each group
//  3. Try for each part, with one further fork for each part
//  4. Combine, with the coins themselves
func (m *PRSMA[X, H]) Release(ctx context.Context, d []learn.Example[X], coins noise.Coins) (Answer[H], error) {
	parts, err := m.partition(d, coins)
	if err != nil {
		return Answer[H]{}, err
	}
	progress := PRSMAProgress{Left: m.plan.Calls()}
	answers := make([]Answer[H], len(parts))
	for i, part := range parts {
		if answers[i], err = m.try(ctx, part, noise.Fork(coins), &progress); err != nil {
			return Answer[H]{}, err
		}
	}
	return m.Combine(answers, coins), nil
}

// Try executes the runs on one part until a run fails. If no run fails, the part passes, and Try returns the result
// of the first run. Otherwise it returns ⊥. The only possible error is that of the context. The answer of a part is
// private and must not be released.
func (m *PRSMA[X, H]) Try(ctx context.Context, part []learn.Example[X], coins noise.Coins) (Answer[H], error) {
	return m.try(ctx, part, coins, &PRSMAProgress{Left: m.plan.Calls()})
}

// Combine samples the output from the answers of all K parts, which must be in the order of the parts. It panics if the
// number of answers is not K.
func (m *PRSMA[X, H]) Combine(answers []Answer[H], coins noise.Coins) Answer[H] {
	if len(answers) != m.plan.Parts {
		panic(fmt.Sprintf("robust: Combine got %d answers for %d parts", len(answers), m.plan.Parts))
	}
	var passed []Answer[H]
	for _, a := range answers {
		if a.OK {
			passed = append(passed, a)
		}
	}
	z := coins.Draw(noise.Laplace{Scale: new(big.Rat).Inv(m.plan.TestEpsilon.Rat())})
	z.Add(z, big.NewInt(int64(len(passed)-m.plan.Threshold)))
	if z.Sign() < 0 || len(passed) == 0 {
		return Answer[H]{}
	}
	return passed[coins.Uint64n(uint64(len(passed)))]
}

// try is Try with reports of its progress: after each batch of runs it updates p and passes p to Observe.
func (m *PRSMA[X, H]) try(ctx context.Context, d []learn.Example[X], coins noise.Coins, p *PRSMAProgress) (Answer[H], error) {
	var first H
	after := p.Left - m.plan.Runs
	for made := int64(0); made < m.plan.Runs; {
		runs := make([]func(context.Context) (H, error), min(batch, m.plan.Runs-made))
		for i := range runs {
			runs[i] = m.base.Draw(d, coins)
		}
		h, calls, ok := execute(ctx, runs)
		if ctx.Err() != nil {
			return Answer[H]{}, ctx.Err()
		}
		if made == 0 {
			first = h
		}
		made += int64(len(runs))
		p.Calls += calls
		p.Left = after + m.plan.Runs - made
		if !ok || made == m.plan.Runs {
			p.Left = after
			p.Parts++
			if ok {
				p.Passed++
			}
		}
		if m.Observe != nil {
			m.Observe(*p)
		}
		if !ok {
			return Answer[H]{}, nil
		}
	}
	return Answer[H]{first, true}, nil
}
