package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/table"
)

// boostFlags say how boost divides the rows.
type boostFlags struct {
	parts      int
	validation int64
}

func (f *boostFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.IntVar(&f.parts, "parts", 0, "of boost: train on `K` parts; 0 chooses the parts and the rows to pick by")
	flags.Int64Var(&f.validation, "validation", 0, "of boost with --parts: pick on `V` rows of their own")
}

// confident is how often the bound that a division is chosen by may fail.
const confident = 0.05

// planBoost returns the best division of the rows, for the flag named, and the
// bound on its risk.
func planBoost(flag string, base *learn.Exponential[table.Record, any], rows int64, epsilon privacy.Decimal) (learn.BoostPlan, float64, error) {
	plan, risk := learn.PlanBoost(base, rows, epsilon, confident)
	if plan.Parts == 0 {
		return plan, risk, fmt.Errorf("%s: --rows %d are too few to divide", flag, rows)
	}
	return plan, risk, nil
}

// division returns how rows are divided, in public.
func (f *boostFlags) division(base *learn.Exponential[table.Record, any], rows int64, epsilon privacy.Decimal) (learn.BoostPlan, error) {
	if f.parts == 0 {
		if f.validation != 0 {
			return learn.BoostPlan{}, fmt.Errorf("--validation %d goes with --parts", f.validation)
		}
		plan, _, err := planBoost("--mechanism boost", base, rows, epsilon)
		return plan, err
	}
	plan := learn.BoostPlan{Rows: rows, Parts: f.parts, Validation: f.validation}
	if f.parts < 1 || f.validation < 0 || int64(f.parts) > rows-f.validation {
		return plan, fmt.Errorf("--parts %d --validation %d: %d rows do not divide so", f.parts, f.validation, rows)
	}
	return plan, nil
}

// boost returns the mechanism, which trains and picks with the same ε.
func (f *mechanismFlags) boost(c model.Class, epsilon privacy.Decimal, r privacy.Relation, l learn.Loss) (mechanism, error) {
	if err := f.needRows("--mechanism boost"); err != nil {
		return mechanism{}, err
	}
	base, err := learn.NewExponential(c, epsilon, r, l)
	if err != nil {
		return mechanism{}, err
	}
	plan, err := f.boosting.division(base, f.rows, epsilon)
	if err != nil {
		return mechanism{}, err
	}
	m, err := learn.NewBoost(base, plan, epsilon)
	if err != nil {
		return mechanism{}, fmt.Errorf("--mechanism boost: %w", err)
	}
	made := mechanism{learner: m, class: c, described: model.OfBoost(m, base), observe: func(log *privateLog, _ *bar) { base.Observe = log.effort }}
	if r == privacy.ReplaceOne {
		made.rows = f.rows
	}
	return made, nil
}
