package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/release"
)

func newEvaluate() *cobra.Command {
	f := &evaluateFlags{}
	cmd := &cobra.Command{
		Use:   "evaluate --model model.json --data F",
		Short: "Count a model's errors, for the curator or privately",
		Long: `Evaluate compares what a model says with the labels of a table: errors, accuracy,
sensitivity (of the rows with a positive label, those predicted so), specificity
(the same of negative ones), AUC (of two rows, one of either label, how often the
positive one has the higher total), the confusion matrix, the risk at each total
beside the one that the model states, and what errors another threshold would make.
Of more than two outcomes it tells errors, accuracy, the matrix, for each outcome the
sensitivity and the precision (of the rows predicted so, those that are so), and the
risk of each outcome at each leaf of a tree beside the one that the model states.
All are of the rows inside the schema's domain; those outside are counted apart.

Without --epsilon the numbers are exact, and for the curator alone. With it, the
rows of each total and label and those outside are counted with discrete Laplace
noise, and all else is computed from these counts. The relation is that of the
model's own guarantee, so that the two ε add up. Under replace the number of rows
is public; under add-remove it is private, and told nowhere.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.data.register(cmd)
	f.spend.register(cmd, "release estimates with this `ε` in place of exact numbers")
	f.spend.registerRelation(cmd, "")
	cmd.Flags().Lookup("relation").Usage = "replace or add-remove, for a model without a guarantee; otherwise it is the model's"
	pathVar(cmd.Flags(), &f.model, "model", "the model, a `file` that learn wrote")
	must(cmd.MarkFlagRequired("model"))
	return cmd
}

type evaluateFlags struct {
	data  dataFlags
	spend spendFlags
	model string
}

func (f *evaluateFlags) run(cmd *cobra.Command) error {
	m, err := readModel(f.model)
	if err != nil {
		return err
	}
	if cmd.Flags().Changed("epsilon") {
		return f.estimate(cmd, m)
	}
	for _, name := range []string{"relation", "insecure-seed", "rows", "pad-to", "private-log", "account"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s goes with --epsilon, for a private estimate", name)
		}
	}
	return f.tell(cmd, m)
}

// tell prints the exact numbers.
func (f *evaluateFlags) tell(cmd *cobra.Command, m *model.Model) error {
	if _, err := claimInputs(cmd, &f.data, f.model); err != nil {
		return err
	}
	b := newBar(cmd)
	t, err := f.data.from(cmd, b).Table(cmd.Context(), m.Schema.ByRow())
	b.erase()
	if err != nil {
		return err
	}
	counts, err := m.Count(t)
	if err != nil {
		return err
	}
	noteCurator(cmd)
	e := evaluate(m, counts)
	return printing(cmd, e.json(), e.write)
}

// estimate releases the counts and prints the measures computed from them.
func (f *evaluateFlags) estimate(cmd *cobra.Command, m *model.Model) error {
	var r release.Request
	if err := f.spend.read(cmd, &r); err != nil {
		return err
	}
	p, err := release.Evaluation{Model: m, Epsilon: r.Epsilon, Relation: r.Relation, Rows: r.Rows, Seed: r.Seed}.Prepare()
	if err != nil {
		return err
	}
	files, err := claimInputs(cmd, &f.data, f.model)
	if err != nil {
		return err
	}
	caution(cmd, r.Epsilon)
	terms, end, err := f.spend.terms(cmd, files)
	if err != nil {
		return err
	}
	defer end()
	b := newBar(cmd)
	defer b.erase()
	counts, err := p.Release(cmd.Context(), f.data.from(cmd, b), terms)
	b.erase()
	if err != nil {
		return err
	}
	e := evaluatePrivately(m, counts, p)
	err = printing(cmd, e.json(), e.write)
	noteSpent(cmd, p.Guarantee, p.Void, f.spend.account)
	return err
}
