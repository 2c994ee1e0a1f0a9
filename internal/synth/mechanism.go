package synth

import (
	"context"
	"errors"

	"github.com/sibyl-dp/sibyl/internal/synth/cells"
	"github.com/sibyl-dp/sibyl/internal/synth/loglinear"
	"github.com/sibyl-dp/sibyl/internal/table"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
)

// ErrDomain is returned for data whose columns, values or weights differ from those of the plan.
var ErrDomain = errors.New("synth: the columns of the data differ from those of the plan")

// A Mechanism releases synthetic data: it measures a table according to a plan, and fits a model to the released
// values.
//
// Guarantee: ρ-zCDP and, unless the noise is too small, μ-GDP, as the plan states. All counts have exact discrete
// Gaussian noise, and each conjunction is an exact sample of the exponential mechanism. The choice of each
// measurement depends only on values that are already released (docs/explanation/proofs/synth.md). The fit of the
// model also depends only on released values, so the guarantee does not depend on how it is computed.
type Mechanism struct {
	plan    *Plan
	fitting Fitting
}

// NewMechanism returns the mechanism that releases synthetic data according to the plan p. The public options f
// control the fit.
func NewMechanism(p *Plan, f Fitting) *Mechanism { return &Mechanism{p, f} }

// Guarantee returns the privacy guarantee of a release, whatever its outcome.
func (m *Mechanism) Guarantee() privacy.Guarantee { return m.plan.Guarantee() }

// Release measures the data d and returns the released values with their model. It does not yet fit the model to the
// last round; the model is fitted when it is needed. If a rule is invalid, or if d does not match the plan
// (ErrDomain), Release returns an error before it samples any noise. It also returns an error if reading d fails or
// the context ends.
func (m *Mechanism) Release(ctx context.Context, d table.Counts, coins noise.Coins) (*Synthesis, error) {
	if err := m.fitting.check(m.plan.Domain); err != nil {
		return nil, err
	}
	s, err := m.plan.open(d, coins)
	if err != nil {
		return nil, err
	}
	of := &Measured{Domain: m.plan.Domain, Relation: m.plan.Relation, Planned: m.plan.promised()}
	first := m.plan.columns(m.plan.Column)
	if m.plan.Contrasts {
		first = append(first, numberOf(m.plan.Domain, m.plan.Column.Sigma2))
	}
	first = append(first, m.plan.bins()...)
	if err := s.fill(ctx, first); err != nil {
		return nil, err
	}
	n := len(m.plan.Domain.Columns)
	of.Columns, first = first[:n:n], first[n:]
	if m.plan.Contrasts {
		of.Number, first = &first[0], first[1:]
	}
	for _, bins := range first {
		if of.Bins == nil {
			of.Bins = make([]Measurement, n)
		}
		of.Bins[bins.Axes[0].Column] = bins
	}
	plan := m.plan.after(of.Total())
	if plan.Again.Sigma2 != nil {
		again := plan.columns(plan.Again)
		if err := s.fill(ctx, again); err != nil {
			return nil, err
		}
		for j := range again {
			of.Columns[j].Again, of.Columns[j].AgainSigma2 = again[j].Counts, again[j].Sigma2
		}
	}
	if of.Pairs, err = s.contrast(ctx, plan.pairs(of.pools(m.fitting)), plan.Pair); err != nil {
		return nil, err
	}
	made := NewSynthesis(of, m.fitting)
	for n := range plan.Rounds {
		candidates, err := made.candidates(ctx)
		if err != nil {
			return nil, err
		}
		if len(candidates) == 0 {
			break
		}
		round, err := m.round(ctx, s, candidates, made.pools, n%2 == 1)
		if err != nil {
			return nil, err
		}
		of.Rounds = append(of.Rounds, round)
	}
	return made, nil
}

// round executes one round of a release: it selects one of the given conjunctions privately and measures the marginal
// of its columns. It prefers conjunctions that the model predicts badly: those with fewer rows in the table than in
// the model if fewer is true, and those with more rows otherwise.
func (m *Mechanism) round(ctx context.Context, s *session, of []loglinear.Conjunction, pools []*cells.Pooling, fewer bool) (Round, error) {
	at, err := s.draw(ctx, of, pools, fewer, m.plan.Epsilon)
	if err != nil {
		return Round{}, err
	}
	var axes []table.Axis
	for _, t := range of[at].Terms {
		axes = append(axes, termAxis(t, pools))
	}
	measured, err := s.measure(ctx, [][]table.Axis{axes}, []noise.Gaussian{m.plan.Round})
	if err != nil {
		return Round{}, err
	}
	return Round{fewer, m.plan.Epsilon, measured[0]}, nil
}

// termAxis returns an axis with two cells for the column of a term. Cell 1 has the values that satisfy the term:
// those whose pooled value is that of the term. Cell 0 has all other values.
func termAxis(t loglinear.Term, pools []*cells.Pooling) table.Axis {
	of := make([]uint16, len(pools[t.Column].Cells))
	for v, pooled := range pools[t.Column].Cells {
		if pooled == t.Value {
			of[v] = 1
		}
	}
	return table.Axis{Column: t.Column, Cells: of, Size: 2}
}
