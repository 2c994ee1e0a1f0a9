package synth

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/synth/cells"
	"github.com/sibyl-dp/sibyl/internal/synth/loglinear"
)

// Fitting is how models are fitted to what was measured. It is public, and a function of it
// and of what was measured is all that comes of a fit.
type Fitting struct {
	loglinear.Options
	Rules   []cells.Rule // which combinations of values no row has
	Witness []uint16     // a row that keeps all of them; needed where there are any
}

// MostCombinations is the greatest number of combinations of a rule.
const MostCombinations = 1 << 24

// check refuses rules that are none over a domain.
func (f Fitting) check(d Domain) error {
	for i, r := range f.Rules {
		n := 1
		for k, j := range r.Columns {
			if j < 0 || j >= len(d.Columns) || slices.Contains(r.Columns[:k], j) {
				return fmt.Errorf("synth: rule %d is of column %d, of %d, or of one twice", i+1, j+1, len(d.Columns))
			}
			if n > MostCombinations/d.Columns[j].Size {
				return fmt.Errorf("synth: rule %d has more than %d combinations", i+1, MostCombinations)
			}
			n *= d.Columns[j].Size
		}
		if len(r.Columns) == 0 || len(r.Forbidden) != n {
			return fmt.Errorf("synth: rule %d says of %d combinations, of %d, whether they are forbidden", i+1, len(r.Forbidden), n)
		}
	}
	if len(f.Rules) == 0 {
		return nil
	}
	if len(f.Witness) != len(d.Columns) {
		return fmt.Errorf("synth: the row that keeps all rules has %d columns, of %d", len(f.Witness), len(d.Columns))
	}
	for j, v := range f.Witness {
		if int(v) >= d.Columns[j].Size {
			return fmt.Errorf("synth: the row that keeps all rules has value %d in column %d, of %d", v, j+1, d.Columns[j].Size)
		}
	}
	for i, r := range f.Rules {
		at := 0
		for _, j := range r.Columns {
			at = at*d.Columns[j].Size + int(f.Witness[j])
		}
		if r.Forbidden[at] {
			return fmt.Errorf("synth: the row that keeps all rules breaks rule %d", i+1)
		}
	}
	return nil
}

// What a round draws from: conjunctions of two to mostTerms terms that the model gives at
// least leastShare of the rows, the most frequent ones.
const (
	leastShare     = 0.03
	mostTerms      = 8
	mostCandidates = 1 << 14
)

// A Synthesis is what was measured and the model that is fitted to it. It is no more than a
// function of both: whoever has what was measured makes the same one.
type Synthesis struct {
	Measured *Measured
	fitting  Fitting
	pools    []*cells.Pooling
	fit      *loglinear.Fit // nil until it is asked for
	rounds   int            // that the fit knows of
}

// NewSynthesis returns the synthesis of what was measured. Nothing is fitted yet.
func NewSynthesis(m *Measured, f Fitting) *Synthesis {
	return &Synthesis{Measured: m, fitting: f, pools: m.Pools()}
}

// settle fits the model to columns and pairs, and again after each round. It fails with the
// context's error.
func (s *Synthesis) settle(ctx context.Context) error {
	if s.fit == nil {
		fit, err := loglinear.New(s.problem(), s.fitting.Options)
		if err != nil {
			return err
		}
		if err := fit.Run(ctx); err != nil {
			return err
		}
		s.fit = fit
	}
	for ; s.rounds < len(s.Measured.Rounds); s.rounds++ {
		if err := s.fit.Add(pooled(s.Measured.Rounds[s.rounds].Measurement.marginal(s.Measured.Relation), s.pools)); err != nil {
			return err
		}
		if err := s.fit.Run(ctx); err != nil {
			return err
		}
	}
	return nil
}

// problem is what is fitted to first.
func (s *Synthesis) problem() loglinear.Problem {
	p := loglinear.Problem{Total: s.Measured.Total()}
	for j, pool := range s.pools {
		p.Sizes = append(p.Sizes, pool.Size)
		p.Marginals = append(p.Marginals, pool.Marginal(j))
	}
	for _, m := range s.Measured.Pairs {
		p.Marginals = append(p.Marginals, pooled(m.marginal(s.Measured.Relation), s.pools))
	}
	p.Rules, p.Witness = pooledRules(s.fitting.Rules, s.fitting.Witness, s.pools)
	return p
}

// candidates returns what a round draws from.
func (s *Synthesis) candidates(ctx context.Context) ([]loglinear.Conjunction, error) {
	if err := s.settle(ctx); err != nil {
		return nil, err
	}
	return s.fit.Frequent(leastShare, mostTerms, mostCandidates), nil
}

// MostRows is the greatest number of rows that are made without being asked for by number.
const MostRows = 1 << 27

// Rows returns so many rows by column; 0: about as many as the table has that are not null,
// at most MostRows. It fails with the context's error.
func (s *Synthesis) Rows(ctx context.Context, n int) ([][]uint16, error) {
	if err := s.settle(ctx); err != nil {
		return nil, err
	}
	if n == 0 {
		n = int(math.Round(min(s.Measured.Total(), MostRows)))
	}
	rows, err := s.fit.Rows(ctx, n)
	if err != nil {
		return nil, err
	}
	return cells.Spread(rows, s.pools, s.fitting.Rules, s.fitting.Witness, s.fitting.Seed), nil
}

// pooledRules returns the rules over pooled values, which rows of pooled values keep, and the
// witness in pooled values.
func pooledRules(of []cells.Rule, witness []uint16, pools []*cells.Pooling) (rules []loglinear.Rule, row []uint16) {
	if len(of) == 0 {
		return nil, nil
	}
	for _, r := range of {
		rules = append(rules, pooledRule(r, pools))
	}
	for j, v := range witness {
		row = append(row, pools[j].Cells[v])
	}
	return rules, row
}

// pooledRule is a rule over pooled values: it forbids a combination of which all
// combinations of values are forbidden.
func pooledRule(r cells.Rule, pools []*cells.Pooling) loglinear.Rule {
	pooled := loglinear.Rule{Columns: r.Columns}
	n := 1
	for _, j := range r.Columns {
		n *= pools[j].Size
	}
	pooled.Forbidden = make([]bool, n)
	for i := range pooled.Forbidden {
		pooled.Forbidden[i] = true
	}
	for i, forbidden := range r.Forbidden {
		if forbidden {
			continue
		}
		at, weight := 0, 1
		for k := len(r.Columns) - 1; k >= 0; k-- {
			pool := pools[r.Columns[k]]
			at += weight * int(pool.Cells[i%len(pool.Cells)])
			weight *= pool.Size
			i /= len(pool.Cells)
		}
		pooled.Forbidden[at] = false
	}
	return pooled
}
