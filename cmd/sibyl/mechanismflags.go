package main

import (
	"fmt"
	"math/big"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/noise"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/table"
)

// privacyFlags say what is promised.
type privacyFlags struct {
	epsilon  string
	relation string
	seed     uint64
}

func (f *privacyFlags) register(cmd *cobra.Command, epsilon string) {
	flags := cmd.Flags()
	flags.StringVar(&f.epsilon, "epsilon", "", epsilon)
	flags.StringVar(&f.relation, "relation", "replace", "what neighbouring tables differ in: a record that is replaced (replace; the number of records is public) or one that is there or not (add-remove)")
}

func (f *privacyFlags) registerSeed(cmd *cobra.Command) {
	cmd.Flags().Uint64Var(&f.seed, "insecure-seed", 0, "take the coins from a `number`, for tests: this voids the guarantee")
}

// An ε outside of this range is a mistake: below it nothing is learned, above
// it nothing is hidden.
var (
	leastEpsilon = big.NewRat(1, 1_000_000)
	mostEpsilon  = big.NewRat(1_000_000, 1)
)

func (f *privacyFlags) read() (epsilon privacy.Decimal, r privacy.Relation, err error) {
	if epsilon, err = privacy.ParseDecimal(f.epsilon); err != nil {
		return epsilon, r, fmt.Errorf("--epsilon %w", err)
	}
	if e := epsilon.Rat(); e.Cmp(leastEpsilon) < 0 || e.Cmp(mostEpsilon) > 0 {
		return epsilon, r, fmt.Errorf("--epsilon %s is outside 0.000001..1000000; usual values are 0.1 to 2", epsilon)
	}
	if err := r.UnmarshalText([]byte(f.relation)); err != nil {
		return epsilon, r, fmt.Errorf("--relation %w", err)
	}
	return epsilon, r, nil
}

// coins returns the randomness, and whether it is insecure.
func (f *privacyFlags) coins(cmd *cobra.Command) (c noise.Coins, insecure bool) {
	if cmd.Flags().Changed("insecure-seed") {
		return noise.Insecure(f.seed), true
	}
	return noise.Crypto(), false
}

// mechanismFlags say how a hypothesis is chosen.
type mechanismFlags struct {
	privacyFlags
	delta  string
	name   string
	oracle string
	noise  string
	grid   int64
}

func (f *mechanismFlags) register(cmd *cobra.Command) {
	f.privacyFlags.register(cmd, "the privacy loss `ε`, a decimal such as 0.5")
	f.registerSeed(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.delta, "delta", "0", "0: the guarantees of both mechanisms are pure")
	flags.StringVar(&f.name, "mechanism", model.Exponential, "exponential, or rspm (noise on the costs, then an oracle)")
	flags.StringVar(&f.oracle, "oracle", "search", "of rspm: search, exhaustive (small classes only), transform (conjunctions, parities and read-once formulas, all costs at once), or a solver: toulbar2, clasp, cbc, highs")
	flags.StringVar(&f.noise, "noise", learn.Laplace.String(), "of rspm: laplace or cube")
	flags.Int64Var(&f.grid, "grid", 0, "of rspm: noise comes in steps of 1/`G` errors; 0 chooses")
	must(cmd.MarkFlagRequired("epsilon"))
}

// A learner is a private mechanism over a class.
type learner interface {
	privacy.Mechanism[[]learn.Example[table.Record], any]
	Excess(rows int64) learn.Excess
}

// rate returns λ of the exponential mechanism, nil for another mechanism.
func (f *mechanismFlags) rate(l learn.Loss) (*big.Rat, error) {
	epsilon, relation, err := f.privacyFlags.read()
	if err != nil || f.name != model.Exponential {
		return nil, err
	}
	return exponentialRate(epsilon, relation, l), nil
}

// exponentialRate returns λ, nil for a loss that is none.
func exponentialRate(epsilon privacy.Decimal, r privacy.Relation, l learn.Loss) *big.Rat {
	if l.Validate() != nil {
		return nil
	}
	return learn.Rate(epsilon, r, l)
}

// read returns the mechanism over the family's class.
func (f *mechanismFlags) read(cmd *cobra.Command, s *table.Schema, family model.Family, loss learn.Loss) (learner, model.Mechanism, error) {
	var none model.Mechanism
	epsilon, relation, err := f.privacyFlags.read()
	if err != nil {
		return nil, none, err
	}
	if delta, err := privacy.ParseDecimal(f.delta); err != nil || !delta.IsZero() {
		return nil, none, fmt.Errorf("--delta %q: the guarantee is pure, its delta is 0; leave the flag out", f.delta)
	}
	switch f.name {
	case model.Exponential:
		for _, flag := range []string{"oracle", "noise", "grid", "distance"} {
			if cmd.Flags().Changed(flag) {
				return nil, none, fmt.Errorf("--%s goes with --mechanism rspm only; the exponential mechanism has no use for it", flag)
			}
		}
		c, err := family.Over(s)
		if err != nil {
			return nil, none, err
		}
		m, err := learn.NewExponential(c, epsilon, relation, loss)
		if err != nil {
			return nil, none, err
		}
		return m, model.OfExponential(m), nil
	case model.RSPM:
		kind, err := learn.ParseNoise(f.noise)
		if err != nil {
			return nil, none, fmt.Errorf("--noise %q is neither laplace nor cube", f.noise)
		}
		o, err := newOracle(f.oracle, s, family)
		if err != nil {
			return nil, none, err
		}
		if f.grid < 0 || f.grid > learn.MostGrid {
			return nil, none, fmt.Errorf("--grid %d is outside 1..%d", f.grid, learn.MostGrid)
		}
		m, err := learn.NewRSPM(o, kind, epsilon, relation, loss, f.grid)
		if err != nil {
			return nil, none, err
		}
		return m, model.OfRSPM(m, f.oracle), nil
	}
	return nil, none, fmt.Errorf("--mechanism %q is neither exponential nor rspm", f.name)
}
