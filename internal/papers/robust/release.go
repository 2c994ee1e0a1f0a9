package robust

import (
	"context"
	"fmt"
	"math/big"

	"github.com/sibyl-dp/sibyl/internal/learn"
	"github.com/sibyl-dp/sibyl/noise"
)

// Release draws an answer. The examples are distinct. It fails with the
// context's error, or with ErrPlanRows before any draw. What it returns does not
// depend on how many processors there are: all coins are tossed in one
// goroutine, and only runs that are ready are made at the same time.
//
// It takes four steps, which others may take where the rows lie, with the same result for the
// same coins: Divide with the first noise.Fork of the coins, Deal with the next for each group,
// Try with the next for each part, and Combine with the coins themselves.
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

// Try makes the runs of one part up to its first failure. It returns the first run's result
// where the part passed, and otherwise ⊥. It fails with the context's error alone. The answer
// of a part is no release.
func (m *PRSMA[X, H]) Try(ctx context.Context, part []learn.Example[X], coins noise.Coins) (Answer[H], error) {
	return m.try(ctx, part, coins, &PRSMAProgress{Left: m.plan.Calls()})
}

// Combine draws the answer that is released from those of all K parts, in their order.
func (m *PRSMA[X, H]) Combine(answers []Answer[H], coins noise.Coins) Answer[H] {
	if len(answers) != m.plan.Parts {
		panic(fmt.Sprintf("robust: %d answers of %d parts", len(answers), m.plan.Parts))
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

// try makes the runs of one part, a batch at a time.
func (m *PRSMA[X, H]) try(ctx context.Context, d []learn.Example[X], coins noise.Coins, p *PRSMAProgress) (Answer[H], error) {
	var first H
	after := p.Left - m.plan.Runs
	for made := int64(0); made < m.plan.Runs; {
		runs := make([]func(context.Context) (H, error), min(batch, m.plan.Runs-made))
		for i := range runs {
			runs[i] = m.base.Draw(d, coins)
		}
		h, calls, ok := together(ctx, runs)
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
