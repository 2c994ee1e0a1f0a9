package main

import (
	"fmt"
	"math/big"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/learn"
	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/privacy"
	"github.com/sibyl-dp/sibyl/source"
)

func newEvaluate() *cobra.Command {
	f := &evaluateFlags{}
	cmd := &cobra.Command{
		Use:   "evaluate --model model.json --data F",
		Short: "Count a model's errors, for the curator or privately",
		Long: `Evaluate compares a model's predictions with the labels of a table: errors,
accuracy, sensitivity (of the rows with a positive label, those predicted so),
specificity (the same of negative ones), and the confusion matrix. All are of the
rows inside the schema's domain; those with a value outside are counted apart.

Without --epsilon the numbers are exact, and for the curator alone. With it, the
four kinds of rows of the matrix and those outside are counted with discrete
Laplace noise, and all else is computed from these five numbers. The relation is
that of the model's own guarantee, so that the two ε add up. Under replace the
number of rows is public; under add-remove it is private, and told nowhere.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.data.register(cmd)
	f.privacy.registerEpsilon(cmd, "tell only estimates, private with this `ε`")
	cmd.Flags().StringVar(&f.privacy.relation, "relation", "", "replace or add-remove, for a model without a guarantee; otherwise it is the model's")
	f.privacy.registerSeed(cmd)
	pathVar(cmd.Flags(), &f.model, "model", "the model, a `file` that learn wrote")
	must(cmd.MarkFlagRequired("model"))
	return cmd
}

type evaluateFlags struct {
	data    dataFlags
	privacy privacyFlags
	model   string
}

func (f *evaluateFlags) run(cmd *cobra.Command) error {
	private := cmd.Flags().Changed("epsilon")
	if !private && (cmd.Flags().Changed("relation") || cmd.Flags().Changed("insecure-seed")) {
		return fmt.Errorf("--relation and --insecure-seed go with --epsilon, for a private estimate")
	}
	m, err := readModel(f.model)
	if err != nil {
		return err
	}
	predict, err := m.Predictor()
	if err != nil {
		return err
	}
	var mechanism *learn.Histogram
	if private {
		if mechanism, err = f.mechanism(m); err != nil {
			return err
		}
	}
	if _, err := claimInputs(cmd, &f.data, f.model); err != nil {
		return err
	}
	if private {
		f.privacy.caution(cmd)
	}
	b := newBar(cmd)
	t, err := source.Read(cmd.Context(), f.data.location, m.Schema, f.data.options(cmd, b))
	b.erase()
	if err != nil {
		return err
	}
	counts := learn.CountOutcomes(t, predict)
	if private {
		return f.estimate(cmd, m, mechanism, t.Rows(), counts)
	}
	return tell(cmd, m, t.Rows(), counts)
}

// mechanism returns the histogram of outcomes under the relation of the model's
// guarantee: another one would tell the number of rows where that is private, or
// spend an ε that adds up with the model's to nothing.
func (f *evaluateFlags) mechanism(m *model.Model) (*learn.Histogram, error) {
	g := m.Guarantee
	if f.privacy.relation == "" {
		f.privacy.relation = privacy.ReplaceOne.String()
		if g != nil {
			f.privacy.relation = g.Relation.String()
		}
	}
	epsilon, relation, err := f.privacy.read()
	if err != nil {
		return nil, err
	}
	if g != nil && relation != g.Relation {
		return nil, fmt.Errorf("--relation %v: the model was released under %v, and an estimate under another relation does not go with it; leave --relation out", relation, g.Relation)
	}
	return learn.NewHistogram(learn.Outcomes, epsilon, relation)
}

// tell prints the exact numbers.
func tell(cmd *cobra.Command, m *model.Model, rows int64, counts []int64) error {
	noteCurator(cmd)
	exact := make([]*big.Int, len(counts))
	for i, n := range counts {
		exact[i] = big.NewInt(n)
	}
	none := new(big.Int)
	e := newEvaluated(m, assess(exact, none, none, big.NewInt(rows), m.Mechanism.Loss), false)
	return printing(cmd, e, e.write)
}

// estimate releases the counts, and prints what follows from them. All intervals hold at
// once with a probability of at least learn.Confidence, 19/20.
func (f *evaluateFlags) estimate(cmd *cobra.Command, m *model.Model, h *learn.Histogram, rows int64, counts []int64) error {
	coins, insecure := f.privacy.coins(cmd)
	noisy, err := h.Release(cmd.Context(), counts, coins)
	if err != nil {
		return errWithheld
	}
	public := (*big.Int)(nil)
	if h.Guarantee().Relation() == privacy.ReplaceOne {
		public = big.NewInt(rows)
	}
	one, two := halfWidths(h)
	a := assess(noisy, one, two, public, m.Mechanism.Loss)
	e := &estimated{evaluated: newEvaluated(m, a, true), Intervals: newIntervals(a), Confidence: learn.Confidence, ofModel: m.Guarantee != nil}
	if insecure {
		e.NotPrivate = model.InsecureSeed
	} else if e.Guarantee, err = model.State(h.Guarantee()); err != nil {
		return errWithheld
	}
	err = printing(cmd, e, e.write)
	noteSpent(cmd, e.Guarantee, e.NotPrivate)
	return err
}

// halfWidths returns how far an outcome, and a sum of two, may be off.
func halfWidths(h *learn.Histogram) (one, two *big.Int) {
	miss := big.NewRat(1, 20*statements)
	return h.HalfWidth(1, miss), h.HalfWidth(2, miss)
}
