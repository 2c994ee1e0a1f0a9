package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/internal/report"
	"github.com/sibyl-dp/sibyl/internal/synthetic"
)

func newAsk() *cobra.Command {
	f := &askFlags{}
	cmd := &cobra.Command{
		Use:   `ask --model synth.json "sex = Female and hours-per-week ≥ 41"`,
		Short: "Count the rows that satisfy conditions, by a model of synthetic data",
		Long: `Ask tells of how many rows of the private table a conjunction is true, by the model
that synth wrote. That costs no privacy, however much is asked. Conditions are
= ≠ < ≤ ≥ > (also != <= >=), and in and not in with a list in braces; they are joined
by the word and. Names and values that hold a sign, a comma or the word and stand in
quotation marks. Within an interval numbers are as the schema draws them.

Where the count is a sum of what was measured, the standard error holds whatever the
table is: about two thirds of errors are smaller. Else the answer is from the model:
pairs of columns imply it, and the standard error is by experience. Several questions
may be asked at once.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New(`the command takes conditions in quotation marks, as in: sibyl ask --model synth.json "sex = Female and age ≥ 41"`)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	pathVar(cmd.Flags(), &f.model, "model", "the model, a `file` that synth wrote")
	must(cmd.MarkFlagRequired("model"))
	return cmd
}

type askFlags struct {
	model string
}

// answered is the output of ask --json.
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
		note(cmd, "NOT PRIVATE: %s", m.Void.Text())
	}
	return printing(cmd, answered{answers, string(m.Void)}, func(w io.Writer) error {
		unit := m.Layout.Schema.Unit(2)
		rows := [][]string{{"question", unit + ", about", "±", "share", "±", "basis"}}
		for _, a := range answers {
			rows = append(rows, []string{a.Question, fmt.Sprintf("%.0f", a.Count), fmt.Sprintf("%.0f", a.CountError), report.Percent(&a.Share, 0), report.Percent(&a.ShareError, 1), a.Basis})
		}
		if err := report.WriteTable(w, rows, "lrrrrl"); err != nil {
			return err
		}
		_, err := fmt.Fprintf(w, "\nOf about %d %s. ± is a standard error: about two thirds of errors are smaller.\n", answers[0].Rows, unit)
		return err
	})
}
