package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/cli"
	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/synthetic"
)

func newAsk() *cobra.Command {
	f := &askFlags{}
	cmd := &cobra.Command{
		Use:   `ask --model synth.json "sex = Female and hours-per-week ≥ 41"`,
		Short: "Estimate how many rows satisfy conditions, from a model of synthetic data",
		Long: `Ask estimates how many rows of the private table satisfy a conjunction of conditions, from
the model that synth wrote. It consumes no privacy budget, for any number of questions.

A condition is an attribute, one of = ≠ < ≤ ≥ > (or != <= >=), and a value; or an
attribute, "in" or "not in", and a list of values in braces. Conditions are joined by
"and". A name or value that contains an operator, a comma or the word "and" must be in
double quotation marks. Within an interval, numbers are distributed as in the rows of synth.

Each answer has a standard error, which exceeds the actual error in about two thirds of all
answers. If the answer is a sum of measured counts ("measured"), the standard error follows
from the noise. All other answers ("from the model") are computed from the fitted model, and
their standard error is an empirical estimate, calibrated on other tables. Among these are
all questions that divide an interval of the schema: age ≥ 65, if 60 to 69 is an interval.

Examples:
  sibyl ask --model synth.json "sex = Female and hours-per-week ≥ 41"
  sibyl ask --model synth.json "age < 30" "ward in {north, south}"`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New(`ask needs a question in quotation marks, as in: sibyl ask --model synth.json "sex = Female and age ≥ 41"`)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	cli.PathVar(cmd.Flags(), &f.model, "model", "the model, a `file` that synth wrote")
	must(cmd.MarkFlagRequired("model"))
	return cmd
}

type askFlags struct {
	model string
}

// answered is the output of the command sibyl ask with --json.
type answered struct {
	Answers    []synthetic.Answer `json:"answers"`
	NotPrivate string             `json:"not_private,omitempty"`
}

func (f *askFlags) run(cmd *cobra.Command, texts []string) error {
	m, err := readSynthetic(f.model)
	if err != nil {
		return err
	}
	var questions []*synthetic.Question
	for _, text := range texts {
		q, err := synthetic.ParseQuestion(m.Layout.Flat, text)
		if err != nil {
			return err
		}
		questions = append(questions, q)
	}
	if _, err := claimInputs(cmd, nil, f.model); err != nil {
		return err
	}
	b := newBar(cmd)
	defer b.erase()
	answers, err := m.Ask(cmd.Context(), questions, synthetic.Drawing{Threads: runtime.GOMAXPROCS(0), Progress: b.work("fitting")})
	b.erase()
	if err != nil {
		return err
	}
	if m.Guarantee == nil {
		cli.Note(cmd, "NOT PRIVATE: %s", m.Void.Text())
	}
	return cli.Print(cmd, answered{answers, string(m.Void)}, func(w io.Writer) error {
		unit := m.Layout.Schema.Unit(2)
		rows := [][]string{{"question", unit + ", about", "±", "share", "±", "basis"}}
		for _, a := range answers {
			rows = append(rows, []string{a.Question, fmt.Sprintf("%.0f", a.Count), fmt.Sprintf("%.0f", a.CountError), report.Percent(&a.Share, 0), report.Percent(&a.ShareError, 1), a.Basis})
		}
		if err := report.WriteTable(w, rows, "lrrrrl"); err != nil {
			return err
		}
		has := fmt.Sprintf("The table has about %d %s inside the schema's domain.", answers[0].Rows, unit)
		if m.Measured.Relation.Replaces() {
			has = fmt.Sprintf("The table has %d %s, about %d of them inside the schema's domain.", m.Rows, unit, answers[0].Rows)
		}
		_, err := fmt.Fprintf(w, "\n%s ± is a standard error: about two thirds of errors are smaller.\n", has)
		return err
	})
}
