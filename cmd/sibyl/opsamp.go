package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/learn/convex"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/privacy"
)

// perturbationFlags are the parameters of opsamp.
type perturbationFlags struct {
	bound       int64
	minimisers  int
	rate, slack string
}

func (f *perturbationFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.Int64Var(&f.bound, "bound", 4, "of opsamp, and of exponential with logistic or svm: weights lie within -`W`..W; for the latter they are whole points")
	flags.IntVar(&f.minimisers, "minimisers", 100, "of opsamp: average so `many`")
	flags.StringVar(&f.rate, "term-rate", "0", "of opsamp: the random term of a minimiser has a mean of 1/`η` losses; 0 chooses by --rows")
	flags.StringVar(&f.slack, "slack", "1", "of opsamp: how far a minimiser may be off, in `losses`")
}

// read returns the parameters for a loss on those columns, and about so many rows.
func (f *perturbationFlags) read(loss convex.Loss, features *convex.Features, rows int64, epsilon, delta privacy.Decimal, r privacy.Relation) (convex.Perturbation, error) {
	o := convex.Perturbation{Loss: loss, Bound: f.bound, Calls: f.minimisers}
	if f.minimisers < 1 || f.minimisers > convex.MostCalls {
		return o, fmt.Errorf("--minimisers %d is outside 1..%d", f.minimisers, convex.MostCalls)
	}
	var err error
	if o.Slack, err = privacy.ParseDecimal(f.slack); err != nil {
		return o, fmt.Errorf("--slack %w", err)
	}
	if o.Rate, err = privacy.ParseDecimal(f.rate); err != nil {
		return o, fmt.Errorf("--term-rate %w", err)
	}
	if o.Rate.IsZero() {
		if o, err = convex.PlanOPSamp(features, o, rows, epsilon, delta, r); err != nil {
			return o, notMade(model.OPSamp, err)
		}
	}
	return o, nil
}
