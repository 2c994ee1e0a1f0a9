package main

import (
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/source"
	"github.com/sibyl-dp/sibyl/table"
)

func newPredict() *cobra.Command {
	f := &predictFlags{}
	cmd := &cobra.Command{
		Use:   "predict --model model.json --data F --out P.csv",
		Short: "Write a model's prediction for every record",
		Long: `Predict writes a CSV file with the header "prediction" and one line for each
record, in their order: the prediction is 1 for the label's positive values and 0
for the negative ones. A second column holds the total for scorecards and
halfspaces ("total") and the number of the rule that decides for decision lists
("rule", 0 for none). Cells are empty for a record with a value outside the
schema's domain; a cell alone on its line is then "". The data needs no label.
Only its owner can read the file.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.data.register(cmd)
	flags := cmd.Flags()
	pathVar(flags, &f.model, "model", "the model, a `file` that learn wrote")
	pathVar(flags, &f.out, "out", "the `file` for the predictions")
	flags.BoolVar(&f.force, "force", false, "replace an existing file")
	must(cmd.MarkFlagRequired("model"))
	must(cmd.MarkFlagRequired("out"))
	return cmd
}

type predictFlags struct {
	data       dataFlags
	model, out string
	force      bool
}

// predicted is what predict --json prints.
type predicted struct {
	Predictions string `json:"predictions"`
}

func (f *predictFlags) run(cmd *cobra.Command) error {
	m, err := readModel(f.model)
	if err != nil {
		return err
	}
	files, err := claimInputs(cmd, &f.data, f.model)
	if err != nil {
		return err
	}
	out, err := newDraft(cmd.Context(), files, f.out, f.force, forCurator)
	if err != nil {
		return err
	}
	defer out.discard()
	b := newBar(cmd)
	o := f.data.options(cmd, b)
	o.LabelOptional = true
	p, err := newPredictor(m, out)
	if err != nil {
		return err
	}
	if err := p.header(); err != nil {
		return err
	}
	err = source.Records(cmd.Context(), f.data.location, m.Schema, o, p.write)
	b.erase()
	if err != nil {
		return err
	}
	if err := out.publish(cmd.Context()); err != nil {
		return err
	}
	return printing(cmd, predicted{f.out}, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s: a line for every record.\n", f.out)
		return err
	})
}

// A predictor writes a line for each record.
type predictor struct {
	predict func(table.Record) bool
	grade   string                 // the name of the second column, or empty
	grader  func(table.Record) int // what is in it
	w       io.Writer
	line    []byte
}

func newPredictor(m *model.Model, w io.Writer) (*predictor, error) {
	predict, err := m.Predictor()
	if err != nil {
		return nil, err
	}
	p := &predictor{predict: predict, w: w}
	family, h := m.Chosen()
	if graded, ok := family.(model.Graded); ok {
		p.grade = graded.Grade()
		p.grader, err = graded.Grader(m.Schema, h)
	}
	return p, err
}

func (p *predictor) header() error {
	line := "prediction\n"
	if p.grade != "" {
		line = "prediction," + p.grade + "\n"
	}
	_, err := io.WriteString(p.w, line)
	return err
}

func (p *predictor) write(r source.Row) error {
	p.line = p.line[:0]
	switch {
	case r.Null && p.grade == "":
		p.line = append(p.line, `""`...) // many readers skip an empty line
	case r.Null:
	case p.predict(r.Record):
		p.line = append(p.line, '1')
	default:
		p.line = append(p.line, '0')
	}
	if p.grade != "" {
		p.line = append(p.line, ',')
		if !r.Null {
			p.line = strconv.AppendInt(p.line, int64(p.grader(r.Record)), 10)
		}
	}
	p.line = append(p.line, '\n')
	_, err := p.w.Write(p.line)
	return err
}
