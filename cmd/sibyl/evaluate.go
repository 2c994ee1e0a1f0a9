package main

import (
	"bytes"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/evaluation"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/release"
)

func newEvaluate() *cobra.Command {
	f := &evaluateFlags{}
	cmd := &cobra.Command{
		Use:   "evaluate --model model.json --data F",
		Short: "Measure a model's errors, exactly for the curator or privately",
		Long: `Evaluate compares the predictions of a model with the labels of a table. It prints:

  errors and accuracy
  sensitivity  the fraction of the positive rows that are predicted positive
  specificity  the fraction of the negative rows that are predicted negative
  AUC          the probability that a positive row has a higher total than a negative row
               (with --epsilon, a higher grade: a private evaluation counts at most 64 grades)
  the confusion matrix
  the observed risk at each total or leaf, beside the risk that the model states
  the sensitivity, specificity and errors at other thresholds

For labels with more than two outcomes it prints errors, accuracy, the confusion matrix,
the sensitivity and precision of each outcome (precision: the fraction of the rows with
this prediction that have this label), and the risks at each leaf. The number of rows
outside the schema's domain is printed too; all other numbers are computed without them.

Without --epsilon the numbers are exact, and for the curator only. With --epsilon they
are private: discrete Laplace noise is added to the number of rows with each total and
label, and to the number of rows outside, and all other numbers follow from these noisy
counts. The neighbour relation is that of the model's guarantee, so the ε of the model and
the ε of the evaluation add up. Under the relation replace the number of rows is public;
under add-remove it is private and not printed.
With --epsilon, --out writes the noisy counts to a file, from which sibyl show prints the
evaluation again. --html writes a page, which may be published, with the estimates, the ROC
curve, the calibration, their intervals and the guarantee.`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.data.register(cmd)
	f.spend.register(cmd, "release private estimates with this privacy loss `ε`, instead of printing exact numbers")
	f.spend.registerRelation(cmd, "")
	cmd.Flags().Lookup("relation").Usage = "the neighbour relation of the private estimates: \"replace\" if one record is replaced, \"add-remove\" if one is added or removed; only for a model without a guarantee, because otherwise the model determines it"
	cli.PathVar(cmd.Flags(), &f.model, "model", "the model, a `file` that learn wrote")
	cli.PathVar(cmd.Flags(), &f.out, "out", "also write the private evaluation to this `file`, as JSON")
	f.page.register(cmd, "also write the private evaluation to this `file`, as an HTML page")
	cmd.Flags().BoolVar(&f.force, "force", false, "replace output files that exist")
	must(cmd.MarkFlagRequired("model"))
	return cmd
}

type evaluateFlags struct {
	data  dataFlags
	spend spendFlags
	model string
	out   string
	page  pageFlags
	force bool
}

func (f *evaluateFlags) run(cmd *cobra.Command) error {
	if err := f.page.read(); err != nil {
		return err
	}
	m, err := readModel(f.model)
	if err != nil {
		return err
	}
	if cmd.Flags().Changed("epsilon") {
		return f.estimate(cmd, m)
	}
	for _, name := range []string{"relation", "insecure-seed", "rows", "pad-to", "private-log", "account", "out", "html"} {
		if cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s requires --epsilon, which makes the estimates private; add it, or leave --%[1]s out", name)
		}
	}
	return f.exact(cmd, m)
}

// exact prints the exact measures of the model's quality on the data, which are not private.
func (f *evaluateFlags) exact(cmd *cobra.Command, m *model.Model) error {
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
	return printEvaluation(cmd, m, evaluation.New(m, counts, nil, ""))
}

// estimate releases noisy counts of rows by outcome and prediction, and prints the measures of quality that follow
// from them.
func (f *evaluateFlags) estimate(cmd *cobra.Command, m *model.Model) error {
	var r release.Request
	if err := f.spend.read(cmd, &r); err != nil {
		return err
	}
	p, err := release.Evaluation{Model: m, Epsilon: r.Epsilon, Relation: r.Relation, Rows: r.Rows, Seed: r.Seed}.Prepare()
	if err != nil {
		return err
	}
	outputs, err := f.outputs(m)
	if err != nil {
		return err
	}
	terms, end, err := f.spend.begin(cmd, intent{schema: m.Schema, epsilon: r.Epsilon, data: &f.data, inputs: []string{f.model}, outputs: outputs, force: f.force})
	if err != nil {
		return err
	}
	defer end()
	publish := terms.Publish
	terms.Publish = func(ctx context.Context, artefacts [][]byte) error {
		written, err := f.written(m, artefacts[0])
		if err != nil {
			return err
		}
		return publish(ctx, written)
	}
	b := newBar(cmd)
	defer b.erase()
	counts, err := p.Release(cmd.Context(), f.data.from(cmd, b), terms)
	b.erase()
	if err != nil {
		return err
	}
	err = printEvaluation(cmd, m, evaluation.New(m, counts, p.Guarantee, p.Void))
	noteSpent(cmd, p.Guarantee, p.Void, f.spend.account)
	return err
}

// outputs returns the paths of the files to which the evaluation is written. It returns an error if the user named
// such a file but the model has no privacy guarantee.
func (f *evaluateFlags) outputs(m *model.Model) (paths []string, err error) {
	for _, of := range [][2]string{{"out", f.out}, {"html", f.page.html}} {
		switch name, path := of[0], of[1]; {
		case path == "":
		case m.Guarantee == nil:
			return nil, fmt.Errorf("--%s requires a model with a guarantee, because the written file describes the model, and this model is not private; leave --%[1]s out", name)
		default:
			paths = append(paths, path)
		}
	}
	return paths, nil
}

// written returns the contents of the files, in the order of the paths that outputs returns: the text of the
// evaluation, and the HTML page made from this text and the model.
func (f *evaluateFlags) written(m *model.Model, text []byte) (contents [][]byte, err error) {
	if f.out != "" {
		contents = append(contents, text)
	}
	if f.page.html == "" {
		return contents, nil
	}
	file, err := evaluation.Parse(text)
	if err != nil {
		return nil, err
	}
	e, err := file.Of(m)
	if err != nil {
		return nil, err
	}
	var page bytes.Buffer
	err = e.WriteHTML(&page, f.page.imprint)
	return append(contents, page.Bytes()), err
}

// printEvaluation prints an evaluation, with advice on the model.
func printEvaluation(cmd *cobra.Command, m *model.Model, e *evaluation.Evaluation) error {
	switch {
	case e.Assessment.Outcomes() == 2:
		e.Advice = adviceOn(m, m.Sheet(), e.Assessment, e.Estimate != nil)
	case e.Always != "":
		e.Advice = fmt.Sprintf("It predicts %s for everyone.", e.Always)
	}
	return cli.Print(cmd, evaluationOf(e), e.Write)
}
