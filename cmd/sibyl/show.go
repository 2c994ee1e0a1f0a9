package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/evaluation"
	"github.com/sibyl-dp/sibyl/internal/mechanism"
	"github.com/sibyl-dp/sibyl/internal/model"
	"github.com/sibyl-dp/sibyl/internal/quote"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/synthetic"
)

func newShow() *cobra.Command {
	f := &showFlags{}
	cmd := &cobra.Command{
		Use:   "show model.json",
		Short: "Show a model or an evaluation in readable form",
		Long: `Show prints a model for use by hand, with the names of the schema: a scorecard as blocks of
points with the prediction for each total, and a tree, list or formula as sentences. It
also prints the risks that the model states, and the guarantee. For synthetic data it
prints the measurements, their noise, and the expected errors of shares and means. For an
evaluation it prints what evaluate printed; it needs the evaluated model, with --model.

With --html it also writes an HTML page, which contains

  for a model           its rules in plain words, a calculator that works offline, the risks
                        and the guarantee; for a decision tree, also a drawing
  for synthetic data    charts of the measurements
  for an evaluation     the ROC curve and the calibration

and what the publisher adds with --title, --contact, --date and --note.

With --rules it prints a decision tree as one line for each leaf: the conditions, the
prediction and the risk. Exactly one of these lines applies to each record.

Show reads only released files, so the page and the output may be published if these files
may be.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("show needs one model file, as in: sibyl show model.json")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	f.page.register(cmd, "also write an HTML page to this `file`")
	cli.PathVar(cmd.Flags(), &f.model, "model", "a `file`: the model to which an evaluation belongs; allowed only if an evaluation is shown")
	cmd.Flags().BoolVar(&f.rules, "rules", false, "print a decision tree only as a list of its leaves: the conditions, the prediction and the risk of each")
	cmd.Flags().BoolVar(&f.force, "force", false, "replace the output file if it exists")
	return cmd
}

type showFlags struct {
	page  pageFlags
	model string
	rules bool
	force bool
}

// shown is the output of the command sibyl show with --json.
type shown struct {
	report.Sheet
	guaranteed
}

// ruled is the output of the command sibyl show with --rules and --json.
type ruled struct {
	Rules []report.Leaf `json:"rules"`
}

func (f *showFlags) run(cmd *cobra.Command, path string) error {
	if err := f.page.read(); err != nil {
		return err
	}
	text, err := readText(path, "model")
	if err != nil {
		return err
	}
	released := evaluation.Is(text)
	if f.model != "" && !released {
		return errors.New("--model is only for an evaluation, but the file to show is not an evaluation; leave --model out")
	}
	switch {
	case released:
		return f.evaluation(cmd, path, text)
	case synthetic.Is(text):
		return f.synthetic(cmd, path, text)
	}
	m, err := mechanism.Read(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("%s: %w", quote.Name(path), err)
	}
	sheet := sheetOf(m)
	rules, err := sheet.Rules()
	if f.rules && err != nil {
		return fmt.Errorf("--rules: %w, but this model is a %s", err, sheet.Thing())
	}
	guarantee := report.Guarantee(sheet.Thing(), m.Guarantee, m.Void.Text(), m.Schema)
	err = f.publishPage(cmd, func(w io.Writer) error {
		return sheet.WriteHTML(w, m.Guarantee, m.Void.Text(), f.page.imprint)
	}, path)
	if err != nil {
		return err
	}
	if f.rules {
		return cli.Print(cmd, ruled{rules}, sheet.WriteRules)
	}
	if sheet.Always != "" {
		cli.Note(cmd, "%s", quote.Clean(adviceOnConstant(m, sheet)))
	}
	return cli.Print(cmd, shown{sheet, guaranteeOf(m.Guarantee, m.Void, m.Schema)}, func(w io.Writer) error {
		if err := sheet.Write(w); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w, "\n%s", guarantee)
		return err
	})
}

// evaluation shows a released evaluation of the model that --model names.
func (f *showFlags) evaluation(cmd *cobra.Command, path string, text []byte) error {
	file, err := evaluation.Parse(text)
	if err != nil {
		return fmt.Errorf("%s: %w", quote.Name(path), err)
	}
	switch {
	case f.rules:
		return errors.New("--rules: the model must be a decision tree, but this is an evaluation")
	case f.model == "":
		return errors.New("--model is missing; name the evaluated model, which is shown together with the evaluation")
	}
	m, err := readModel(f.model)
	if err != nil {
		return err
	}
	e, err := file.Of(m)
	switch {
	case errors.Is(err, evaluation.ErrOther):
		return fmt.Errorf("%s: %w than that of --model %s; name the model file whose SHA-256 is %s", quote.Name(path), err, quote.Name(f.model), file.Model)
	case err != nil:
		return fmt.Errorf("%s: %w", quote.Name(path), err)
	}
	err = f.publishPage(cmd, func(w io.Writer) error { return e.WriteHTML(w, f.page.imprint) }, path, f.model)
	if err != nil {
		return err
	}
	return printEvaluation(cmd, m, e)
}

// shownSynthetic is the output of the command sibyl show with --json for synthetic data.
type shownSynthetic struct {
	synthetic.Card
	Errors synthetic.Errors `json:"expected_errors"`
	guaranteed
}

// synthetic shows a released model of synthetic data.
func (f *showFlags) synthetic(cmd *cobra.Command, path string, text []byte) error {
	m, err := synthetic.Parse(text)
	if err != nil {
		return fmt.Errorf("%s: %w", quote.Name(path), err)
	}
	if f.rules {
		return errors.New("--rules: the model must be a decision tree, but it is synthetic data")
	}
	drawing := synthetic.Drawing{Threads: runtime.GOMAXPROCS(0)}
	err = f.publishPage(cmd, func(w io.Writer) error { return m.WriteHTML(cmd.Context(), w, drawing, f.page.imprint) }, path)
	if err != nil {
		return err
	}
	card := m.Card()
	expected, err := m.Errors(cmd.Context(), drawing)
	if err != nil {
		return err
	}
	return cli.Print(cmd, shownSynthetic{card, *expected, guaranteeOf(m.Guarantee, m.Void, m.Layout.Schema)}, func(w io.Writer) error {
		if err := card.Write(w); err != nil {
			return err
		}
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
		return expected.Write(w)
	})
}

// publishPage writes the HTML page to the file that --html names, if it is given. The inputs are the paths of
// the files that were read.
func (f *showFlags) publishPage(cmd *cobra.Command, write func(io.Writer) error, inputs ...string) error {
	files, err := claimInputs(cmd, nil, inputs...)
	if err != nil || f.page.html == "" {
		return err
	}
	var page bytes.Buffer
	if err := write(&page); err != nil {
		return err
	}
	return publishText(cmd, files, f.page.html, f.force, page.Bytes())
}

// sheetOf returns the printed description of a model. If the model belongs to a series, it states the model's
// position in the series.
func sheetOf(m *model.Model) report.Sheet {
	sheet := m.Sheet()
	if number, of := mechanism.Place(m); of > 0 {
		sheet.Series = fmt.Sprintf("Number %d of a series of %d. The guarantee is for the whole series.", number, of)
	}
	return sheet
}
