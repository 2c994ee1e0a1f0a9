package synth

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/sibyl-dp/sibyl/internal/synth/cells"
	"github.com/sibyl-dp/sibyl/internal/synth/loglinear"
)

// Fitting holds the public options of a fit. Together with the released values, they determine the fitted model.
type Fitting struct {
	loglinear.Options
	Rules   []cells.Rule // combinations of values that no row may have
	Witness []uint16     // a row that satisfies all rules; required if there are rules
	Ordered []int        // by column, how many of its first values are ordered, as intervals are; nil if none
}

// free reports, for each value of column j, whether no rule restricts it, that is, whether the value occurs in no
// forbidden combination. It returns nil if no rule contains the column. The domain d gives the numbers of values.
func (f Fitting) free(d Domain, j int) []bool {
	var free []bool
	for _, r := range f.Rules {
		at := slices.Index(r.Columns, j)
		if at < 0 {
			continue
		}
		if free == nil {
			free = slices.Repeat([]bool{true}, d.Columns[j].Size)
		}
		after := 1 // the number of combinations of the values of the columns after j
		for _, c := range r.Columns[at+1:] {
			after *= d.Columns[c].Size
		}
		for i, forbidden := range r.Forbidden {
			if forbidden {
				free[i/after%len(free)] = false
			}
		}
	}
	return free
}

// MostCombinations is the maximum number of combinations of values that the columns of a rule may have.
const MostCombinations = 1 << 24

// check returns an error if a rule is invalid for the domain d, or if the witness, an example row, violates a rule.
func (f Fitting) check(d Domain) error {
	for i, r := range f.Rules {
		n := 1
		for k, j := range r.Columns {
			if j < 0 || j >= len(d.Columns) || slices.Contains(r.Columns[:k], j) {
				return fmt.Errorf("synth: rule %d: column %d must be within 1..%d and must not occur twice", i+1, j+1, len(d.Columns))
			}
			if n > MostCombinations/d.Columns[j].Size {
				return fmt.Errorf("synth: rule %d has more than %d combinations", i+1, MostCombinations)
			}
			n *= d.Columns[j].Size
		}
		if len(r.Columns) == 0 || len(r.Forbidden) != n {
			return fmt.Errorf("synth: rule %d must have at least one column, and %d entries (one for each combination of values); it has %d columns and %d entries", i+1, n, len(r.Columns), len(r.Forbidden))
		}
	}
	if f.Ordered != nil && len(f.Ordered) != len(d.Columns) {
		return fmt.Errorf("synth: the numbers of ordered values (Ordered) are those of %d columns, and the domain has %d", len(f.Ordered), len(d.Columns))
	}
	for j, k := range f.Ordered {
		if k < 0 || k > d.Columns[j].Size {
			return fmt.Errorf("synth: %d values of column %d are ordered (Ordered), but it has %d values", k, j+1, d.Columns[j].Size)
		}
	}
	if len(f.Rules) == 0 {
		return nil
	}
	if len(f.Witness) != len(d.Columns) {
		return fmt.Errorf("synth: the example record (Witness) has %d columns, and the domain has %d", len(f.Witness), len(d.Columns))
	}
	for j, v := range f.Witness {
		if int(v) >= d.Columns[j].Size {
			return fmt.Errorf("synth: the example record (Witness) has the code %d in column %d, but the codes of this column are 0 to %d", v, j+1, d.Columns[j].Size-1)
		}
	}
	for i, r := range f.Rules {
		at := 0
		for _, j := range r.Columns {
			at = at*d.Columns[j].Size + int(f.Witness[j])
		}
		if r.Forbidden[at] {
			return fmt.Errorf("synth: the example record (Witness) violates rule %d", i+1)
		}
	}
	return nil
}

// These constants define the candidates of a round: the conjunctions of 2 to mostTerms terms that at least the
// fraction leastShare of the rows satisfies, according to the model. If there are more than mostCandidates, only the
// most frequent ones are candidates.
const (
	leastShare     = 0.03
	mostTerms      = 8
	mostCandidates = 1 << 14
)

// A Synthesis holds released values and a model of the table that is fitted to them when it is needed. The model
// depends only on the released values and the options of the fit, so anyone can recompute it.
type Synthesis struct {
	Measured *Measured
	fitting  Fitting
	pools    []*cells.Pooling
	fit      *loglinear.Fit // nil before the first fit
	rounds   int            // number of rounds that the fit includes
}

// NewSynthesis returns the synthesis of released values, without fitting a model yet.
func NewSynthesis(m *Measured, f Fitting) *Synthesis {
	return &Synthesis{Measured: m, fitting: f, pools: m.pools(f)}
}

// settle fits the model to all released values: first to the marginals of columns and pairs, and then again after
// adding the marginal of each round. It returns the context's error if the context ends.
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

// problem returns the input of the first fit: the released marginals of columns and pairs, and the rules, all over
// pooled values.
func (s *Synthesis) problem() loglinear.Problem {
	p := loglinear.Problem{Total: s.Measured.Total()}
	for j, pool := range s.pools {
		p.Sizes = append(p.Sizes, pool.Size)
		p.Marginals = append(p.Marginals, pool.Marginal(j))
	}
	for _, m := range s.Measured.Pairs {
		p.Marginals = append(p.Marginals, pooled(m.marginal(s.Measured.Relation), s.pools))
	}
	if !s.fitting.First {
		p.Ordered = pooledOrders(s.fitting.Ordered, s.pools)
	}
	p.Rules, p.Witness = pooledRules(s.fitting.Rules, s.fitting.Witness, s.pools)
	return p
}

// candidates fits the model and returns the conjunctions among which the next round selects one.
func (s *Synthesis) candidates(ctx context.Context) ([]loglinear.Conjunction, error) {
	if err := s.settle(ctx); err != nil {
		return nil, err
	}
	return s.fit.Frequent(leastShare, mostTerms, mostCandidates), nil
}

// MostRows is the maximum number of rows that Rows returns if n is 0.
const MostRows = 1 << 27

// Rows samples n rows from the model. The result has one slice of values for each column. If n is 0, Rows samples as
// many rows as the table is estimated to have, without null rows, but at most MostRows. If the context ends, Rows
// returns the context's error.
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
	return cells.Spread(rows, s.pools, s.fitting.Rules, s.fitting.Witness, s.fitting.Seed, !s.fitting.First), nil
}

// pooledOrders returns, for each column, how many of its first pooled values are ordered, given how many of its first
// values are ordered.
func pooledOrders(ordered []int, pools []*cells.Pooling) (pooled []int) {
	for j, k := range ordered {
		if k > 0 && pools[j].Ordered {
			k = int(pools[j].Cells[k-1]) + 1
		} else {
			k = 0
		}
		pooled = append(pooled, k)
	}
	return pooled
}

// pooledRules translates the rules of a schema, and the witness that satisfies them, to pooled values.
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

// pooledRule translates the rule r to pooled values. The result forbids a combination of pooled values if r forbids
// all combinations of the values that they contain.
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
