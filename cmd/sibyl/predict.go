package main

import (
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/sibyl-dp/sibyl/model"
	"github.com/sibyl-dp/sibyl/source"
)

func newPredict() *cobra.Command {
	f := &predictFlags{}
	cmd := &cobra.Command{
		Use:   "predict --model model.json --data F --out P.csv",
		Short: "Write a model's prediction for every record",
		Long: `Predict writes a CSV file with the header "prediction,total" and one line for
each record, in their order: the prediction is 1 for the label's positive values
and 0 for the negative ones, the total is the sum of points. Both are empty for
a record with a value outside the schema's domain. The data needs no label.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.data.register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.model, "model", "", "the model, a `file` that learn wrote")
	flags.StringVar(&f.out, "out", "", "the `file` for the predictions")
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
	out, err := newDraft(cmd.Context(), f.out, f.force, f.data.location, f.model)
	if err != nil {
		return err
	}
	defer out.discard()
	b := newBar(cmd)
	o := f.data.options(cmd, b)
	o.LabelOptional = true
	p := predictor{model: m, w: out}
	if _, err := io.WriteString(out, "prediction,total\n"); err != nil {
		return err
	}
	err = source.Records(cmd.Context(), f.data.location, m.Schema, o, p.write)
	b.erase()
	if err != nil {
		return err
	}
	if err := out.publish(); err != nil {
		return err
	}
	return printing(cmd, predicted{f.out}, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s: a line for every record.\n", f.out)
		return err
	})
}

// A predictor writes a line for each record.
type predictor struct {
	model *model.Model
	w     io.Writer
	line  []byte
}

func (p *predictor) write(r source.Row) error {
	p.line = p.line[:0]
	if r.Null {
		p.line = append(p.line, ",\n"...)
	} else {
		total := p.model.Total(r.Record)
		cell := "0,"
		if p.model.Predict(total) {
			cell = "1,"
		}
		p.line = strconv.AppendInt(append(p.line, cell...), int64(total), 10)
		p.line = append(p.line, '\n')
	}
	_, err := p.w.Write(p.line)
	return err
}
